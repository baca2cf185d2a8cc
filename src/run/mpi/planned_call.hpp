#pragma once

#include "mpi/communicator.hpp"
#include "mpi/element_buffers.hpp"
#include "mpi/local_call.hpp"

namespace espalier::mpi {

// What the functions of calls.hpp share.

/// What a call came to before it runs.
struct Planned {
  const runtime::CachedPlan* plan = nullptr;  ///< nullptr: `outcome` says why the call is native
  Outcome outcome;

  [[nodiscard]] explicit operator bool() const { return plan != nullptr; }
  /// The outcome of the call that ran. The code goes to the user's error handler later, when
  /// nothing is left to be undone.
  [[nodiscard]] Outcome ended(Communicator& comm, int code) const;
};

/// Finds the plan of a call. All ranks get the same answer, and all must ask. May be collective.
/// @param in_place whether this rank's input lies in its result
[[nodiscard]] Planned plan_call(Communicator& comm, runtime::SharedCall call,
                                bool in_place = false);

/// A call that does not block, about to be started; nullptr: it is native. All ranks get the same
/// answer, and all must ask. Local; collective if the call is persistent.
[[nodiscard]] std::unique_ptr<PendingCall> plan_pending(Communicator& comm, const Starting& how,
                                                        runtime::SharedCall call,
                                                        bool in_place = false);
/// Starts it on elements, and counts it. Of a persistent call the request is made, and no more.
/// @param call buffers of the user and how elements are combined; the rest is filled in
[[nodiscard]] Outcome start(Communicator& comm, schedule::Operation operation,
                            std::unique_ptr<PendingCall> call, const Starting& how);
/// Likewise, of a call whose payload is set.
[[nodiscard]] Outcome start_payload(Communicator& comm, schedule::Operation operation,
                                    std::unique_ptr<PendingCall> call, const Starting& how);
/// Runs a planned call on the user's blocks. @param buffers absent: some argument is wrong
[[nodiscard]] Outcome run_on_blocks(Communicator& comm, const LocalCall& call,
                                    const Planned& planned, std::optional<BlockBuffers> buffers);
/// Likewise, of one that does not block.
[[nodiscard]] Outcome start_on_blocks(Communicator& comm, const LocalCall& call,
                                      const Starting& how, std::unique_ptr<PendingCall> pending,
                                      std::optional<BlockBuffers> buffers);
/// The outcome of a call that does not block and is native.
[[nodiscard]] inline Outcome native_pending() { return {.why = runtime::Reason::NonBlocking}; }

/// Counts a native call.
[[nodiscard]] Outcome native(Communicator& comm, schedule::Operation operation,
                             runtime::Reason why);

/// The others run a call without this rank, which counts it to stay in step.
void leave_call(Communicator& comm, const runtime::CachedPlan& plan);

/// Leaves a call whose type the program has not committed, before any message: the same on all
/// ranks, of which each has its own. @return an MPI error code
[[nodiscard]] inline int leave_untyped(Communicator& comm, const runtime::CachedPlan& plan) {
  leave_call(comm, plan);
  return MPI_ERR_TYPE;
}

/// The data of a planned call that runs on elements.
struct Elements : ElementCall {
  std::uint64_t bytes = 0;   ///< size of the call, for the log
  std::uint64_t copied = 0;  ///< bytes that were copied for this call
};
/// Where a program's In and Out are in memory.
inline std::byte*& input(ElementBuffers& buffers) {
  return buffers.base[static_cast<std::size_t>(schedule::Buffer::In)];
}
inline std::byte*& output(ElementBuffers& buffers) {
  return buffers.base[static_cast<std::size_t>(schedule::Buffer::Out)];
}
/// Runs a program on elements, and notes that it ran. @return an MPI error code
/// @param elements buffers of the user and how elements are combined; the rest is filled in
[[nodiscard]] int run(Communicator& comm, const runtime::CachedPlan& plan,
                      schedule::Operation operation, Elements& elements);

/// Likewise, with what is copied before and after it. If that fails the call runs nevertheless,
/// since others wait for it.
[[nodiscard]] int run(Communicator& comm, const runtime::CachedPlan& plan,
                      schedule::Operation operation, Elements& elements, Staged& staged);

/// A planned call that ran, for counts and log.
struct Ran {
  schedule::Operation operation;
  std::uint64_t bytes = 0;
  std::string_view plan;
  std::string_view why;
  std::optional<Time> predicted;
};
/// @param begin when it began, if a log is kept
void note_planned(Communicator& comm, const Ran& ran, double begin);

/// Leaves the memory of a call that failed to MPI, which may still read or write it.
inline void leave_if_failed(const Communicator& comm, int code, ElementMemory& memory) {
  if (code != MPI_SUCCESS && comm.hidden().left_messages()) memory.abandon();
}

}  // namespace espalier::mpi
