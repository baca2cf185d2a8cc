#pragma once

#include "collective/block_layout.hpp"
#include "collective/participants.hpp"

namespace espalier::collective {

/// Before step k a rank has the 2^k blocks from its own on; it hands them down to the rank 2^k
/// before it and gets as many from the one 2^k after it. The last step moves what is left.
///
/// J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby: "Efficient algorithms for all-to-all
/// communications in multiport message-passing systems", IEEE TPDS 8(11), 1997: concatenation. The
/// paper collects in rotated order and turns the result around; here every block is received where
/// it belongs, since a message may be a list of blocks.
///
/// Steps: ceil(log2 P), any P. Sent a rank: P - 1 blocks. No scratch.
/// @param all has this rank's block in place; afterwards all blocks
void bruck_allgather(schedule::ProgramBuilder& program, const Participants& participants,
                     const BlockLayout& all);

}  // namespace espalier::collective
