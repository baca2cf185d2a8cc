#pragma once

#include <functional>

#include "collective/block_layout.hpp"
#include "collective/participants.hpp"
#include "schedule/collective.hpp"
#include "schedule/program.hpp"

namespace espalier::collective {

// Alltoalls that are blind to the topology.

/// Everybody sends everybody its block at once, beginning with the next rank.
///
/// R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of collective communication operations in
/// MPICH", IJHPCA 19(1), 2005, section 4.3: all sends and receives posted, the destinations
/// scattered so that not all begin with the same.
///
/// Steps: one latency, P - 1 messages a rank, in one family of sends and one of receives. Sent a
/// rank: P - 1 blocks, the least possible. No scratch.
/// @param from block p goes to position p
/// @param to   block p comes from position p
/// @param tag  see send_families
void direct_alltoall(schedule::ProgramBuilder& program, const Participants& participants,
                     const BlockLayout& from, const BlockLayout& to, std::uint32_t tag);

/// direct_alltoall() for participants whose blocks lie where a call's buffers have them: rank r's
/// at r * block of In and Out. @pre block > 0
void direct_alltoall_by_rank(schedule::ProgramBuilder& program, const Participants& participants,
                             std::uint64_t block, std::uint32_t tag);

/// One exchange at a time: in step s with position me XOR s if there are a power of two of them,
/// else to me + s and from me - s. In every step each rank sends once and receives once, so nobody
/// is crowded.
///
/// R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of collective communication operations in
/// MPICH", IJHPCA 19(1), 2005, section 4.3: pairwise exchange.
///
/// Steps: P - 1, each waiting for the one before. Sent a rank: P - 1 blocks, the least possible. No
/// scratch.
/// @param from block p goes to position p
/// @param to   block p comes from position p
void pairwise_alltoall(schedule::ProgramBuilder& program, const Participants& participants,
                       const BlockLayout& from, const BlockLayout& to);

/// pairwise_alltoall() for regions of any shape: what goes to a position, and what comes from it.
using RegionOf = std::function<schedule::Region(Rank position)>;
void pairwise_alltoall(schedule::ProgramBuilder& program, const Participants& participants,
                       const RegionOf& from, const RegionOf& to);

/// A block that has i ranks to go takes the steps of the set bits of i: in step k everybody passes
/// to the rank 2^k further on, in one message, all blocks that have bit k set.
///
/// J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby: "Efficient algorithms for all-to-all
/// communications in multiport message-passing systems", IEEE TPDS 8(11), 1997: index, radix 2.
///
/// Steps: ceil(log2 P), any P. Sent a rank: about P / 2 blocks a step, P / 2 * log2 P in all.
/// Scratch: P blocks, and the half of them that a step receives. Copies: all blocks twice and half
/// of them each step.
/// @param from block p goes to position p
/// @param to   block p comes from position p
/// @pre both uniform, with blocks of the same length
void bruck_alltoall(schedule::ProgramBuilder& program, const Participants& participants,
                    const BlockLayout& from, const BlockLayout& to);

/// Alltoallv straight between all pairs that have something for each other, the longest blocks
/// first, all at once; for those who know all lengths. Empty blocks do not travel.
/// @pre call is an irregular alltoall
[[nodiscard]] schedule::Program sparse_alltoall(const schedule::Collective& call, Rank rank);

}  // namespace espalier::collective
