#pragma once

#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "mpi/ledger.hpp"

namespace espalier::mpi {

/// The program's communicators, with what we know of each. Any thread that calls MPI may ask.
class Registry {
 public:
  /// @param world, ledger must outlive it; it guards the ledger
  Registry(const World& world, Ledger& ledger);
  /// Forgets all of them first.
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  /// What we know of a communicator; makes it at the first call. Never blocks. Returns nullptr for
  /// handles that are no communicators, and for communicators that are being freed.
  [[nodiscard]] Communicator* find(MPI_Comm comm);
  /// MPI's code for a handle: an error if it is of no communicator, but for MPI_COMM_NULL. The
  /// program's error handler has it then, and may throw or jump away: asked before anything else.
  [[nodiscard]] int check(MPI_Comm comm) const;
  /// Called before and after MPI_Comm_free and MPI_Comm_disconnect. In between, calls on the
  /// communicator are native on all ranks: MPI calls the program's delete functions, in any order.
  /// If the communicator is not freed (a delete function refused), its calls stay native: on some
  /// ranks the error handler may never return.
  /// @param is_gone it is freed, or never was a communicator
  void begin_free(MPI_Comm comm);
  void end_free(MPI_Comm comm, bool is_gone);
  [[nodiscard]] bool is_dying(MPI_Comm comm);
  void forget_all();
  /// Switches the plans of a communicator on or off. It is looked at anew. All members do this
  /// before the same call.
  void switch_plans(MPI_Comm comm, bool is_off);
  [[nodiscard]] ProgressEngine& progress() { return progress_; }
  [[nodiscard]] const HiddenShare& share() const { return share_; }
  /// Frees the hidden communicators whose members are all among these ranks, which are sorted ranks
  /// of MPI_COMM_WORLD. No more are made.
  /// @param keeps_startable not those on which calls that do not block may be planned
  void give_back(const std::vector<Rank>& ranks, bool keeps_startable);
  /// A counter, for tests. Names: "planned", "native", "planned.broadcast", "native.MPI_Ibcast"
  /// (calls), "messages.0", "bytes.0" (sent over level 0), "hidden", "communicators" (now),
  /// "undecided" (classes without a decision), "groups" (groups of ranks that communicators had),
  /// "choices" (how often a plan or a class policy was asked for), "groups with nodes" (those whose
  /// nodes somebody wanted to know), "agreements left" (allreduces of ours that MPI was left with),
  /// "most unconfirmed" (bytes: ChannelCounts).
  [[nodiscard]] std::uint64_t count(const std::string& name);
  /// A number that changes whenever a communicator is freed or forgotten. What was remembered of
  /// communicators under another number is stale.
  [[nodiscard]] static std::uint64_t generation();
  /// Makes stale what was remembered of calls that are native for good: plans are made anew.
  static void forget_what_is_native();

 private:
  [[nodiscard]] Communicator* make(MPI_Comm comm);
  void forget(Communicator* comm);
  static int on_delete(MPI_Comm comm, int keyval, void* value, void* registry);

  const World& world_;
  int keyval_ = MPI_KEYVAL_INVALID;      // attribute that holds our Communicator
  int off_keyval_ = MPI_KEYVAL_INVALID;  // attribute that means no plans; copied by MPI_Comm_dup
  HiddenShare share_;
  Groups groups_;
  ProgressEngine progress_;
  std::mutex mutex_;  // guards the members below; never held across a call that may block
  Ledger& ledger_;
  std::map<MPI_Comm, Communicator*> live_;
  /// Communicators that are being freed, and the thread that frees each: another thread may get the
  /// same handle again at once. No thread: the free failed.
  std::map<MPI_Comm, std::thread::id> dying_;
};

}  // namespace espalier::mpi
