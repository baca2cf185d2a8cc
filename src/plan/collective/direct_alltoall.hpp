#pragma once

#include "collective/block_layout.hpp"
#include "collective/participants.hpp"

namespace espalier::collective {

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

/// The same for the participants whose blocks lie where a call's buffers have them: rank r's at r *
/// block of In and Out. @pre block > 0
void direct_alltoall_by_rank(schedule::ProgramBuilder& program, const Participants& participants,
                             std::uint64_t block, std::uint32_t tag);

}  // namespace espalier::collective
