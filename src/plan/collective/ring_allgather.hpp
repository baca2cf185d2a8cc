#pragma once

#include "collective/block_layout.hpp"
#include "collective/participants.hpp"

namespace espalier::collective {

/// Each passes on to its right neighbour what the left one gave it last, until all blocks have gone
/// around.
///
/// R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of collective communication operations in
/// MPICH", IJHPCA 19(1), 2005: ring.
///
/// Steps: P - 1, each of one block to a neighbour. Sent a rank: all blocks but the next one's, the
/// least possible. No scratch.
/// @param all has this rank's block in place; afterwards all blocks
void ring_allgather(schedule::ProgramBuilder& program, const Participants& participants,
                    const BlockLayout& all);

}  // namespace espalier::collective
