#pragma once

#include "collective/block_layout.hpp"
#include "collective/participants.hpp"

namespace espalier::collective {

/// Blocks come up a binomial tree to position 0, and all of them go down the same tree.
///
/// R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of collective communication operations in
/// MPICH", IJHPCA 19(1), 2005: what MPICH did before, a gather followed by a broadcast.
///
/// Steps: 2 ceil(log2 P). Messages: 2 (P - 1) in all, the fewest of all algorithms. Sent a rank:
/// its sub-tree's blocks, and P blocks to each child; by position 0, ceil(log2 P) * P blocks. No
/// scratch.
/// @param all has this rank's block in place; afterwards all blocks
void gather_broadcast_allgather(schedule::ProgramBuilder& program, const Participants& participants,
                                const BlockLayout& all);

}  // namespace espalier::collective
