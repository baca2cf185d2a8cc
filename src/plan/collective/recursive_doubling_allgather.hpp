#pragma once

#include "collective/block_layout.hpp"
#include "collective/participants.hpp"

namespace espalier::collective {

/// Partners at distance 1, 2, 4, ... exchange all they have.
///
/// R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of collective communication operations in
/// MPICH", IJHPCA 19(1), 2005: recursive doubling.
///
/// Steps: log2 P. Sent a rank: P - 1 blocks, always neighbours of one another. No scratch.
/// @param all has this rank's block in place; afterwards all blocks
/// @pre the participants' size is a power of two (bruck_allgather serves the others in as many
/// steps)
void recursive_doubling_allgather(schedule::ProgramBuilder& program,
                                  const Participants& participants, const BlockLayout& all);

}  // namespace espalier::collective
