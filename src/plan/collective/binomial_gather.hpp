#pragma once

#include "collective/block_layout.hpp"
#include "collective/participants.hpp"

namespace espalier::collective {

/// Blocks come up a binomial tree, those of a sub-tree in one message.
///
/// R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of collective communication operations in
/// MPICH", IJHPCA 19(1), 2005: binomial tree. MPICH turns the blocks around at the root if that is
/// not rank 0; here they are received where they belong, since a message may be a list of blocks.
///
/// Steps: ceil(log2 P). Messages: P - 1. Sent a rank: its sub-tree's blocks, at most those of P / 2
/// positions. Scratch: the same, at ranks that are neither root nor leaf.
/// @param own this rank's block
/// @param all the blocks' lengths, and at the root the place they go to
void binomial_gather(schedule::ProgramBuilder& program, const Participants& participants, Rank root,
                     const schedule::Region& own, const BlockLayout& all);

/// The same where every rank has room for all blocks: each has its own in place before, and its
/// sub-tree's afterwards. No scratch.
void binomial_gather_in_place(schedule::ProgramBuilder& program, const Participants& participants,
                              Rank root, const BlockLayout& all);

}  // namespace espalier::collective
