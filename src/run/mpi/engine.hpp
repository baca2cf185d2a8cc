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

/// How the last call of this thread ran. Engine tells the wrappers (src/run/pmpi) by it whether to
/// time the call and whether to remember it as native; tests ask it too.
struct LastCall {
  /// Two bytes, so that the hot path writes them with one store.
  struct alignas(2) Outcome {
    bool planned = false;
    runtime::Reason reason{};  ///< why the call was native; meaningless if it was planned
  } outcome;
  runtime::ClassPolicy* timed = nullptr;  ///< wants the time of this call; nullptr: nobody does
  double begin = 0;                       ///< when the call began; set together with `timed`
  /// The counter of calls like this one, if all of them are native for good; else nullptr.
  std::uint64_t* native_for_good = nullptr;
  int size = 0;                 ///< size of the communicator
  std::array<char, 80> plan{};  ///< name of the plan; only set by planned calls
};

/// The runtime of one process between MPI_Init and MPI_Finalize: knows all communicators of the
/// program, and runs its collectives along plans or says that they are native.
///
/// The wrappers (src/run/pmpi) call it, from any thread that calls MPI:
///   1. start() behind MPI_Init.
///   2. For each collective the function of that name. If it returns false, the wrapper calls the
///      MPI library.
///   3. begin_free(), end_free() around each free of a communicator; note_made() for each new one.
///   4. The destructor in MPI_Finalize, which writes ESPALIER_EXPLAIN and ESPALIER_VERDICTS.
class Engine {
 public:
  /// Collective over MPI_COMM_WORLD, but may wait for nobody: see enter_world().
  /// @param passed functions that note_passed() counts
  /// @param is_unfit this process failed the self-test: see enter_world()
  /// @return nullptr if all calls are native, on all ranks
  static std::unique_ptr<Engine> start(std::span<const runtime::PassedFunction> passed,
                                       bool is_unfit);
  ~Engine();

  /// What we know of a communicator; makes it at the first call. Never blocks. Returns nullptr for
  /// handles that are no communicators, and for communicators that are being freed.
  Communicator* find(MPI_Comm comm);
  /// Called before and after MPI_Comm_free and MPI_Comm_disconnect. In between, calls on the
  /// communicator are native on all ranks: MPI calls the program's delete functions, in any order.
  /// If the communicator is not freed (a delete function refused), its calls stay native: on some
  /// ranks the error handler may never return.
  void begin_free(MPI_Comm comm);
  void end_free(MPI_Comm comm, bool is_freed);

  /// Counts a communicator that the program made.
  void note_made() { made_.fetch_add(1, std::memory_order_relaxed); }
  /// Whether the program made so many communicators that MPICH, which has 2,048, might have none
  /// left. Always false with several threads, which may be in calls on hidden communicators.
  [[nodiscard]] bool may_run_short() const {
    return made_.load(std::memory_order_relaxed) > kManyCommunicators && !world_->is_threaded;
  }
  /// Frees the hidden communicators whose members all belong to `among`, and makes no more. Called
  /// by all members of `among` after a call failed to make a communicator from it.
  /// @return whether to try that call again
  bool give_back(MPI_Comm among);

  /// Finds the machine now, if it is not known yet (for include/espalier.h). Collective over
  /// MPI_COMM_WORLD. @return whether the machine is known
  bool discover();
  struct Placed {
    const topology::Machine* machine = nullptr;  ///< the world's machine; nullptr: not known yet
    /// Members of the communicator as ranks of the machine. Empty for intercommunicators, and if
    /// some member is outside MPI_COMM_WORLD.
    std::vector<Rank> ranks;
  };
  /// Where the members of a communicator run. Local.
  [[nodiscard]] Placed placed(MPI_Comm comm) const;

  // engine_reorder.cpp
  /// Whether virtual topologies on a communicator are reordered. All its ranks get the same answer.
  /// Collective over it as long as the world has not agreed (World::is_agreed).
  [[nodiscard]] bool reorders(MPI_Comm comm);
  /// A new communicator whose first `nodes` ranks fit a graph that communicates along `pairs`.
  /// Collective. @pre reorders(comm)
  /// @param pairs who sends to whom; nullptr if this process does not know
  /// @return MPI_COMM_NULL, on all ranks, if no process knows any pair
  MPI_Comm reordered(MPI_Comm comm, int nodes, const std::vector<profile::Pair>* pairs);

  // The operations. Each returns whether the call ran along a plan. If so, `code` is what the MPI
  // function shall return; if not, the MPI library shall run the call.
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
  /// The irregular operations: gatherv, scatterv, allgatherv, alltoallv and alltoallw.
  bool move_blocks(const BlockCall& call, int& code);
  /// Bytes that this rank gives or gets in an irregular call, for the log.
  [[nodiscard]] std::uint64_t bytes_of(const BlockCall& call);

  // engine_api.cpp, for include/espalier/communicator.hpp
  struct Multicast {
    void* data = nullptr;  ///< where the data are, or shall come to; ignored on ranks outside
    runtime::MulticastCall call;
  };
  /// Runs one or several multicasts at once. Called by all ranks of the communicator, with the same
  /// members and lengths. Returns as the operations above do.
  bool multicasts(std::span<const Multicast> several, MPI_Comm comm, int& code);
  /// How a call with this key would run. Local.
  [[nodiscard]] CallOutlook outlook(const runtime::PlanKey& key, MPI_Comm comm);

  /// A counter, for tests. Names: "planned", "native", "planned.broadcast", "native.MPI_Ibcast"
  /// (calls), "messages.0", "bytes.0" (sent over level 0), "hidden", "communicators" (now),
  /// "undecided" (classes without a decision), "groups" (groups of ranks that communicators had),
  /// "choices" (how often a plan or a class policy was asked for).
  [[nodiscard]] std::uint64_t count(const std::string& name);
  /// Adds a native call to the log. @pre keeps_log()
  void note_native(schedule::Operation operation, std::uint64_t bytes, MPI_Comm comm,
                   double seconds);
  /// Counts a call of a function that is always native.
  void note_passed(std::size_t which) {
    passed_calls_[which].fetch_add(1, std::memory_order_relaxed);
  }
  /// Obeys the key "espalier" of a communicator's new info: plans on or off. Collective over the
  /// communicator, since ranks may say different things: off wins.
  /// @param keeps without the key nothing changes; else plans are on then
  void set_info(MPI_Comm comm, MPI_Info info, bool keeps);
  [[nodiscard]] bool keeps_log() const { return !world_->settings.explain.empty(); }
  [[nodiscard]] static LastCall& last_call();
  /// A number that changes whenever a communicator is freed or forgotten. What was remembered of
  /// communicators under another number is stale.
  [[nodiscard]] static std::uint64_t generation();

 private:
  Engine() = default;
  struct Call {
    schedule::Operation operation;
    std::uint64_t bytes;
    std::uint64_t copied = 0;  ///< bytes that were copied for this call
  };
  struct Move;
  struct Combine;
  // engine_machine.cpp
  /// find() for a call that might be planned. If the machine is unknown, this call may find it
  /// (collective over the communicator).
  Communicator* enter(MPI_Comm comm) {
    Communicator* found = find(comm);
    if (found != nullptr && found->never() == runtime::Reason::MachineUnknown) settle(*found);
    return found;
  }
  /// Lets a communicator take the machine as soon as all its members can do so at the same call.
  /// Called before each of its calls until then:
  ///   1. If the world has not agreed: a call on all processes agrees now; any other call stays
  ///      native.
  ///   2. If the machine is unknown: a call on all processes finds it now (with several threads
  ///   only
  ///      a call on MPI_COMM_WORLD itself); any other call stays native.
  ///   3. If the machine is known: the communicator takes it (with several threads only once all
  ///      members know it).
  void settle(Communicator& comm);
  /// Agrees on the world, if that was not done yet. @return whether the ranks agree
  bool settle_world(MPI_Comm over);
  [[nodiscard]] bool all_take_part();
  /// Finds the machine, if it is unknown. Collective over `over`, a communicator of all processes.
  void learn_machine(MPI_Comm over);
  bool native(Communicator* comm, schedule::Operation operation, runtime::Reason reason);
  /// Notes that a planned call failed. Its code goes to the user's error handler later, when
  /// nothing is left to be undone here.
  static void failed(Communicator& comm) { comm.mark_failed(); }
  /// Leaves the memory of a failed call to MPI, which may still read or write it.
  template <typename Memory>
  static void leave(const Communicator& comm, Memory& memory) {
    if (comm.executor_if_any() != nullptr && comm.executor_if_any()->left_messages()) {
      memory.abandon();
    }
  }
  /// The others run a call without this rank. This rank counts that call, to stay in step.
  static void leave_call(Communicator& comm);
  bool run(Communicator& comm, const runtime::CachedPlan& plan, ElementCall& execution, Call& call,
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
  std::atomic<int> made_{0};             // communicators that the program made, freed ones included
  bool is_given_up_ = false;             // agree_on_world() returned None
  int keyval_ = MPI_KEYVAL_INVALID;      // attribute that holds our Communicator
  int off_keyval_ = MPI_KEYVAL_INVALID;  // attribute that means no plans; copied by MPI_Comm_dup
  std::span<const runtime::PassedFunction> passed_;
  std::vector<std::atomic<std::uint64_t>> passed_calls_;
  HiddenShare share_;
  Groups groups_;
  std::mutex mutex_;  // guards the members below; never held across a call that may block
  std::map<MPI_Comm, Communicator*> live_;
  /// Communicators that are being freed, and the thread that frees each: another thread may get the
  /// same handle again at once. No thread: the free failed.
  std::map<MPI_Comm, std::thread::id> dying_;
  runtime::CallCounts past_counts_;  // calls on communicators that are gone
  runtime::CallLog past_log_;
  std::vector<runtime::TrialRecord> past_trials_;
  runtime::Verdicts verdicts_;
  std::vector<LevelCount> past_sent_;
  runtime::Footprint footprint_;
};

}  // namespace espalier::mpi
