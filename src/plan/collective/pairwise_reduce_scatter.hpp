#pragma once

#include "collective/block_layout.hpp"
#include "collective/participants.hpp"

namespace espalier::collective {

/// In step s everybody sends position me + s its block and combines what comes from me - s.
///
/// R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of collective communication operations in
/// MPICH", IJHPCA 19(1), 2005, section 4.4: pairwise exchange. MPICH's is for operations that
/// commute; ours combines the positions before and after its own apart, each downwards from its
/// end, and joins them at last, so rank order is kept.
///
/// Steps: P - 1, each waiting for the messages of the one before. Sent a rank: all blocks but its
/// own, the least possible. Scratch: three blocks.
/// @param contributions this rank's contributions to all blocks; only read
/// @param mine          where the result of this rank's block goes
void pairwise_reduce_scatter(schedule::ProgramBuilder& program, const Participants& participants,
                             const BlockLayout& contributions, const schedule::Region& mine);
inline constexpr bool kPairwiseReduceScatterKeepsRankOrder = true;

}  // namespace espalier::collective
