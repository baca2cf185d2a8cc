#pragma once

#include "collective/block_layout.hpp"
#include "collective/participants.hpp"

namespace espalier::collective {

/// Partners at distance P/2, P/4, ... each give away the half of their blocks that the other's side
/// owns, and combine the half they keep.
///
/// R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of collective communication operations in
/// MPICH", IJHPCA 19(1), 2005, section 4.4: recursive halving; others than powers of two by
/// folding.
///
/// Steps: floor(log2 P), and 2 for folding. Sent a rank: all blocks but its own; where folded, all
/// blocks in the first step instead, or one more in the last. Scratch: fewer than P blocks (folded:
/// 2 P). Does not keep rank order; butterfly_reduce_scatter does.
/// @param contributions this rank's contributions to all blocks; only read
/// @param mine          where the result of this rank's block goes
void recursive_halving_reduce_scatter(schedule::ProgramBuilder& program,
                                      const Participants& participants,
                                      const BlockLayout& contributions,
                                      const schedule::Region& mine);
inline constexpr bool kRecursiveHalvingReduceScatterKeepsRankOrder = false;

}  // namespace espalier::collective
