#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>

#include "mpi/communicator.hpp"
#include "profile/profile.hpp"

namespace espalier::mpi {

/// How the last call of this thread ran, for tests.
struct LastCall {
  /// In one piece: a store more is a nanosecond more in each call.
  struct alignas(2) Outcome {
    bool planned = false;
    runtime::Reason reason{};  ///< if not planned
  } outcome;
  runtime::ClassPolicy* timed = nullptr;  ///< wants to know how long it takes
  double begin = 0;                       ///< if so
  /// Where it is counted, if calls like it are native for good; and the size of its communicator.
  std::uint64_t* native_for_good = nullptr;
  int size = 0;
  std::array<char, 80> plan{};  ///< its name, if planned
};

/// The runtime of one process between MPI_Init and MPI_Finalize.
class Engine {
 public:
  /// Collective over MPI_COMM_WORLD. @return nullptr: all calls are native
  /// @param passed what note_passed() counts
  /// @param is_unfit see enter_world()
  static std::unique_ptr<Engine> start(std::span<const runtime::PassedFunction> passed,
                                       bool is_unfit);
  ~Engine();

  /// Never blocks; nullptr for handles that are no communicators, and for those that are being
  /// freed.
  Communicator* find(MPI_Comm comm);
  /// Before MPI_Comm_free and MPI_Comm_disconnect, and behind them. In between calls on it are
  /// native on all ranks: MPI calls the program's delete functions, in whatever order. If it is not
  /// freed (one of them refused) they stay so: on some ranks an error handler may never come back.
  void begin_free(MPI_Comm comm);
  void end_free(MPI_Comm comm, bool is_freed);

  /// The program made a communicator.
  void note_made() { made_.fetch_add(1, std::memory_order_relaxed); }
  /// It has made so many that MPICH (2,048) might have none left for it. Not where threads may be
  /// in calls on the hidden ones.
  [[nodiscard]] bool may_run_short() const {
    return made_.load(std::memory_order_relaxed) > kManyCommunicators && !world_->is_threaded;
  }
  /// Frees the hidden communicators whose members are all members of `among`, and makes no more.
  /// Called by all of these, behind a call on it that failed. @return whether to try that again
  bool give_back(MPI_Comm among);

  /// Topology for the application (include/espalier.h): the machine is found now, if it is to be
  /// found. Collective over MPI_COMM_WORLD. @return whether it is known
  bool discover();
  /// The world's machine and the members of a communicator as ranks of it; local.
  /// @return the machine is nullptr where it is not known yet, there are no ranks where they are
  /// not
  ///   its processes (and between groups)
  struct Placed {
    const topology::Machine* machine = nullptr;
    std::vector<Rank> ranks;
  };
  [[nodiscard]] Placed placed(MPI_Comm comm) const;

  // engine_reorder.cpp
  /// Whether virtual topologies on a communicator are reordered: the same answer on all its ranks.
  /// Collective over it as long as the world has not agreed.
  [[nodiscard]] bool reorders(MPI_Comm comm);
  /// A new communicator whose first `nodes` ranks fit a graph that communicates along `pairs`
  /// (null: this process has none to tell). Collective. @pre reorders(comm) @return MPI_COMM_NULL:
  /// on all ranks, there is nothing to go by
  MPI_Comm reordered(MPI_Comm comm, int nodes, const std::vector<profile::Pair>* pairs);

  /// The operations. @return whether it was planned; then `code` is what MPI shall return
  bool broadcast(void* buffer, std::int64_t count, MPI_Datatype type, int root, MPI_Comm comm,
                 int& code);
  bool reduce(const void* in, void* out, std::int64_t count, MPI_Datatype type, MPI_Op op, int root,
              MPI_Comm comm, int& code);
  bool allreduce(const void* in, void* out, std::int64_t count, MPI_Datatype type, MPI_Op op,
                 MPI_Comm comm, int& code);
  bool barrier(MPI_Comm comm, int& code);
  // engine_moves.cpp
  bool gather(const void* send, std::int64_t send_count, MPI_Datatype send_type, void* recv,
              std::int64_t recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm, int& code);
  bool scatter(const void* send, std::int64_t send_count, MPI_Datatype send_type, void* recv,
               std::int64_t recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm, int& code);
  bool allgather(const void* send, std::int64_t send_count, MPI_Datatype send_type, void* recv,
                 std::int64_t recv_count, MPI_Datatype recv_type, MPI_Comm comm, int& code);
  bool alltoall(const void* send, std::int64_t send_count, MPI_Datatype send_type, void* recv,
                std::int64_t recv_count, MPI_Datatype recv_type, MPI_Comm comm, int& code);
  // engine_reductions.cpp, with reduce and allreduce
  bool reduce_scatter_block(const void* in, void* out, std::int64_t count, MPI_Datatype type,
                            MPI_Op op, MPI_Comm comm, int& code);
  bool reduce_scatter(const void* in, void* out, const int* counts, MPI_Datatype type, MPI_Op op,
                      MPI_Comm comm, int& code);
  bool scan(const void* in, void* out, std::int64_t count, MPI_Datatype type, MPI_Op op,
            MPI_Comm comm, int& code);
  bool exscan(const void* in, void* out, std::int64_t count, MPI_Datatype type, MPI_Op op,
              MPI_Comm comm, int& code);
  // engine_blocks.cpp
  /// The irregular ones: gatherv, scatterv, allgatherv, alltoallv and alltoallw.
  bool move_blocks(const BlockCall& call, int& code);
  /// Bytes that this rank gives or gets in such a call, for the log.
  [[nodiscard]] std::uint64_t bytes_of(const BlockCall& call);

  // engine_api.cpp, for include/espalier/communicator.hpp
  /// Where the data of a multicast are, or shall be; of those who are no members: anything.
  struct Multicast {
    void* data = nullptr;
    runtime::MulticastCall call;
  };
  /// One or several at once. Called by all ranks of the communicator, with the same ranks and
  /// lengths. @return as the operations above
  bool multicasts(std::span<const Multicast> several, MPI_Comm comm, int& code);
  /// What would become of a call with this key; local.
  [[nodiscard]] CallOutlook outlook(const runtime::PlanKey& key, MPI_Comm comm);

  /// For tests: "planned", "native", "hidden", "communicators", "undecided", "planned.broadcast",
  /// "native.MPI_Ibcast", "messages.0" and "bytes.0" (sent over level 0), "groups" (different ones
  /// that communicators had), "choices" (how often a plan or the ways of a class were asked for).
  [[nodiscard]] std::uint64_t count(const std::string& name);
  /// How a native call went on, for the log (only if it is kept).
  void note_native(schedule::Operation operation, std::uint64_t bytes, MPI_Comm comm,
                   double seconds);
  /// A call that goes on to the MPI library whatever its arguments.
  void note_passed(std::size_t which) {
    passed_calls_[which].fetch_add(1, std::memory_order_relaxed);
  }
  /// What a new info says about plans on a communicator, with the key "espalier". Collective over
  /// it, since ranks may say different things: off wins.
  /// @param keeps what it was before stays if the info says nothing; else it is on then
  void set_info(MPI_Comm comm, MPI_Info info, bool keeps);
  [[nodiscard]] bool keeps_log() const { return !world_->settings.explain.empty(); }
  [[nodiscard]] static LastCall& last_call();
  /// Changes whenever what was known of communicators may no longer hold.
  [[nodiscard]] static std::uint64_t generation();

 private:
  Engine() = default;
  struct Call {
    schedule::Operation operation;
    std::uint64_t bytes;
    std::uint64_t copied = 0;  ///< bytes of copies that were made for it
  };
  struct Move;
  struct Combine;
  // engine_machine.cpp
  /// find() at the beginning of a call that might be planned: may find the machine (collective).
  Communicator* enter(MPI_Comm comm) {
    Communicator* found = find(comm);
    if (found != nullptr && found->never() == runtime::Reason::MachineUnknown) settle(*found);
    return found;
  }
  void settle(Communicator& comm);
  bool settle_world(MPI_Comm over);
  [[nodiscard]] bool all_take_part();
  void learn_machine(MPI_Comm over);
  bool native(Communicator* comm, schedule::Operation operation, runtime::Reason reason);
  /// Something went wrong in a planned call. Its code goes to the user's error handler once there
  /// is nothing to be undone here. What MPI may still read or write is left behind.
  static void failed(Communicator& comm) { comm.mark_failed(); }
  /// Memory of a call that failed.
  template <typename Memory>
  static void leave(const Communicator& comm, Memory& memory) {
    if (comm.executor_if_any() != nullptr && comm.executor_if_any()->left_messages()) {
      memory.abandon();
    }
  }
  /// The others run this call without this rank, whose number it uses up all the same.
  static void leave_call(Communicator& comm);
  bool run(Communicator& comm, const runtime::CachedPlan& plan, Execution& execution, Call& call,
           int& code);
  const runtime::CachedPlan* plan(Communicator& comm, const runtime::PlanKey& key);
  bool move(Communicator& comm, const Move& move, int& code);
  [[nodiscard]] static runtime::PlanKey key_of(const Move& move);
  bool wrong_at_root(Communicator& comm, const Move& move);
  bool gather_unequal(Communicator& comm, Move& call, std::int64_t recv_count, int& code);
  bool scatter_unequal(Communicator& comm, Move& call, std::int64_t send_count, int& code);
  bool combine(Communicator& comm, const Combine& combine, int& code);
  int run_multicasts(Communicator& comm, std::span<const Multicast> several);
  int run_multicast(Communicator& comm, const runtime::CachedPlan& plan,
                    std::span<const Multicast> several);
  [[nodiscard]] std::vector<runtime::PassedCalls> passed() const;
  void note_planned(Communicator& comm, const runtime::CachedPlan& plan, const Call& call,
                    double begin);
  bool move_by_counts(Communicator& comm, const BlockCall& call, const runtime::CachedPlan& plan,
                      int& code);
  void note_by_counts(Communicator& comm, const CountedTrees::Ran& ran, const Call& call,
                      double begin);
  void explain();
  void keep_verdicts();
  void forget(Communicator* comm);
  [[nodiscard]] bool is_dying(MPI_Comm comm);
  static void add_to(std::vector<LevelCount>& sum, const std::vector<LevelCount>& more);
  static int on_delete(MPI_Comm comm, int keyval, void* value, void* engine);

  static constexpr int kManyCommunicators = 1024;

  std::unique_ptr<World> world_;
  std::atomic<int> made_{0};  // communicators of the program so far, of which some may be freed
  bool is_given_up_ = false;  // the world did not agree
  int keyval_ = MPI_KEYVAL_INVALID;
  int off_keyval_ = MPI_KEYVAL_INVALID;  // set: no plans here; copied with the communicator
  std::span<const runtime::PassedFunction> passed_;
  std::vector<std::atomic<std::uint64_t>> passed_calls_;
  HiddenShare share_;
  Groups groups_;
  std::mutex mutex_;  // of what follows; never held across a call that may block
  std::map<MPI_Comm, Communicator*> live_;
  /// Communicators that are being freed, by which thread: another one may be given the handle again
  /// at once. No thread: it was not freed.
  std::map<MPI_Comm, std::thread::id> dying_;
  runtime::CallCounts past_counts_;  // of communicators that are gone
  runtime::CallLog past_log_;
  std::vector<runtime::TrialRecord> past_trials_;
  runtime::Verdicts verdicts_;
  std::vector<LevelCount> past_sent_;
  runtime::Footprint footprint_;
};

}  // namespace espalier::mpi
