#pragma once

#include <functional>
#include <span>

#include "profile/profile.hpp"

namespace espalier::profile {

/// Called for each message of a process within a collective.
/// @param peer the other process, as a rank of the world
using Message = std::function<void(bool is_send, Rank peer, std::uint64_t bytes)>;

/// The messages of one process in a collective, in its order, as MPI libraries send them where they
/// know nothing of the network (R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of collective
/// communication operations in MPICH", IJHPCA 2005, with its limits): binomial trees for rooted
/// operations; for allreduce recursive doubling, above 2 KiB Rabenseifner's algorithm; for alltoall
/// Bruck's below 256 bytes, all at once below 32 KiB, and pairwise exchange; that for
/// reduce-scatter too; dissemination for barrier, a ring for allgather, a chain for scan and
/// exscan.
///
/// Which algorithm a library takes depends on its version and the size; a profile of executed
/// messages is exact, this is what stands in for it. A process outside the communicator has none.
void for_each_message(const Profile& profile, const Action& collective, Rank rank,
                      const Message& message);

/// The length that stands for every block of an alltoall with unequal blocks (alltoallv) on many
/// processes. Each process has a mean of its own, so it is never as short as Bruck's algorithm is
/// for: all have to send a message to each, or receives would wait for what nobody sends. MPI
/// libraries do so too.
/// @param sum bytes that this process receives in all
/// @pre members > 0
[[nodiscard]] std::uint64_t mean_block_of_alltoall(std::uint64_t sum, std::uint64_t members);

/// An upper bound of the messages, sent and received, that for_each_message() lists.
[[nodiscard]] std::uint64_t messages_at_most(schedule::Operation operation, std::uint64_t members);

}  // namespace espalier::profile
