#pragma once

#include "collective/block_layout.hpp"
#include "collective/participants.hpp"

namespace espalier::collective {

/// Neighbours 2q and 2q + 1 exchange their blocks; from then on each exchanges with its left and
/// its right neighbour in turn the two blocks that it got last.
///
/// J. Chen, L. Zhang, Y. Zhang, W. Yuan: "Performance evaluation of allgather algorithms on
/// terascale Linux cluster with fast Ethernet", HPC Asia 2005: neighbor exchange.
///
/// Steps: P / 2, half of the ring's, all with the two neighbours. Sent a rank: P - 1 blocks. No
/// scratch.
/// @param all has this rank's block in place; afterwards all blocks
/// @pre the participants' size is even, or 1
void neighbour_exchange_allgather(schedule::ProgramBuilder& program,
                                  const Participants& participants, const BlockLayout& all);

}  // namespace espalier::collective
