#pragma once

#include "collective/block_layout.hpp"
#include "collective/participants.hpp"

namespace espalier::collective {

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

}  // namespace espalier::collective
