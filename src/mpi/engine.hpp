#pragma once

#include <array>
#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "mpi/communicator.hpp"

namespace espalier::mpi {

/// How the last call of this thread ran, for tests.
struct LastCall {
  bool planned = false;
  runtime::Reason reason{};
  std::array<char, 80> plan{};  ///< its name, if planned
};

/// The runtime of one process between MPI_Init and MPI_Finalize.
class Engine {
 public:
  /// Collective over MPI_COMM_WORLD. @return nullptr: all calls are native
  static std::unique_ptr<Engine> start();
  ~Engine();

  /// Never blocks; nullptr for handles that are no communicators.
  Communicator* find(MPI_Comm comm);
  [[nodiscard]] const World& world() const { return *world_; }

  /// The four operations. @return whether it was planned; then `code` is what MPI shall return
  bool broadcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, int& code);
  bool reduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root,
              MPI_Comm comm, int& code);
  bool allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                 int& code);
  bool barrier(MPI_Comm comm, int& code);
  /// The irregular ones: gatherv, scatterv, allgatherv, alltoallv and alltoallw.
  bool move_blocks(const BlockCall& call, int& code);
  /// Bytes that this rank gives or gets in such a call, for the log.
  [[nodiscard]] std::uint64_t bytes_of(const BlockCall& call);

  /// For tests: "planned", "native", "hidden", "communicators", "planned.broadcast",
  /// "messages.0" and "bytes.0" (sent over level 0).
  [[nodiscard]] std::uint64_t count(const std::string& name);
  /// How a native call went on, for the log (only if it is kept).
  void note_native(schedule::Operation operation, std::uint64_t bytes, MPI_Comm comm,
                   double seconds);
  [[nodiscard]] bool keeps_log() const { return !world_->settings.explain.empty(); }
  [[nodiscard]] static LastCall& last_call();

 private:
  Engine() = default;
  struct Call {
    schedule::Operation operation;
    std::uint64_t bytes;
  };
  bool native(Communicator* comm, schedule::Operation operation, runtime::Reason reason);
  bool run(Communicator& comm, const runtime::CachedPlan& plan, Execution& execution, Call& call,
           int& code);
  const runtime::CachedPlan* plan(Communicator& comm, const runtime::PlanKey& key);
  void note_planned(Communicator& comm, const runtime::CachedPlan& plan, const Call& call,
                    double begin);
  bool reduce_to(schedule::Operation operation, Rank root, bool has_out, const void* in, void* out,
                 int count, MPI_Datatype type, MPI_Op op, Communicator& comm, int& code);
  void explain();
  void forget(Communicator* comm);
  static int on_delete(MPI_Comm comm, int keyval, void* value, void* engine);

  std::unique_ptr<const World> world_;
  int keyval_ = MPI_KEYVAL_INVALID;
  HiddenShare share_;
  std::mutex mutex_;  // of what follows; never held across a call that may block
  std::list<Communicator*> live_;
  runtime::CallCounts past_counts_;  // of communicators that are gone
  runtime::CallLog past_log_;
  std::vector<LevelCount> past_sent_;
  std::uint64_t hidden_made_ = 0;
};

}  // namespace espalier::mpi
