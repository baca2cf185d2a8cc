#pragma once

#include <span>

#include "mpi/communicator.hpp"
#include "mpi/local_call.hpp"

namespace espalier::mpi {

// The kinds of calls, one function each. Each looks at this rank's arguments, finds the plan and
// runs it; before the first message any doubt means native, on all ranks together.
// @pre !comm.never()

[[nodiscard]] Outcome broadcast(Communicator& comm, const LocalCall& call);
[[nodiscard]] Outcome barrier(Communicator& comm, const LocalCall& call);
/// Gather, scatter, allgather and alltoall of equal blocks.
[[nodiscard]] Outcome move(Communicator& comm, const LocalCall& call);
/// Reduce, allreduce, reduce-scatter (equal blocks or not), scan and exscan.
[[nodiscard]] Outcome reduce(Communicator& comm, const LocalCall& call);
/// The irregular calls: gatherv, scatterv, allgatherv, alltoallv and alltoallw.
[[nodiscard]] Outcome move_blocks(Communicator& comm, const LocalCall& call);
/// Neighbourhood collectives, of equal blocks or not.
[[nodiscard]] Outcome exchange_with_neighbours(Communicator& comm, const LocalCall& call);

// Those that do not block. Each starts the call along its plan, or says that it is native; never
// waits. Nothing is told to the user's error handler: an error comes with the request.
// @pre !comm.never()

[[nodiscard]] Outcome start_broadcast(Communicator& comm, const LocalCall& call,
                                      const Starting& how);
[[nodiscard]] Outcome start_barrier(Communicator& comm, const LocalCall& call, const Starting& how);
/// Gather, scatter, allgather and alltoall of equal blocks.
[[nodiscard]] Outcome start_exchange(Communicator& comm, const LocalCall& call,
                                     const Starting& how);
[[nodiscard]] Outcome start_reduce(Communicator& comm, const LocalCall& call, const Starting& how);
[[nodiscard]] Outcome start_blocks(Communicator& comm, const LocalCall& call, const Starting& how);
[[nodiscard]] Outcome start_with_neighbours(Communicator& comm, const LocalCall& call,
                                            const Starting& how);

struct Multicast {
  void* data = nullptr;  ///< data of the root, or room for them elsewhere; ignored on ranks that
                         ///< are no members
  runtime::MulticastCall call;
};
/// Runs one or several multicasts at once. Called by all ranks of the communicator, with the same
/// members and lengths. @return an MPI error code
/// @pre comm.can_multicast()
[[nodiscard]] int multicasts(Communicator& comm, std::span<const Multicast> several);

/// Bytes that trials and the log take a call for: of the data, or of a block, by arguments that are
/// significant on this rank. @pre the call was right
[[nodiscard]] std::uint64_t bytes_of(Communicator& comm, const LocalCall& call);

}  // namespace espalier::mpi
