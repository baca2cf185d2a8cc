#pragma once

#include "collective/block_layout.hpp"
#include "collective/participants.hpp"

namespace espalier::collective {

/// Blocks go down a binomial tree, those of a sub-tree in one message.
///
/// R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of collective communication operations in
/// MPICH", IJHPCA 19(1), 2005: binomial tree. The mirror of binomial_gather.
///
/// Steps: ceil(log2 P). Messages: P - 1. Sent a rank: its sub-tree's blocks but its own; by the
/// root all but its own. Scratch: its sub-tree's blocks, at ranks that are neither root nor leaf.
/// @param all the blocks' lengths, and at the root the place where they are
/// @param own where this rank's block goes
void binomial_scatter(schedule::ProgramBuilder& program, const Participants& participants,
                      Rank root, const BlockLayout& all, const schedule::Region& own);

/// The same where every rank has room for all blocks: the root has all in place before, each its
/// sub-tree's afterwards. No scratch.
void binomial_scatter_in_place(schedule::ProgramBuilder& program, const Participants& participants,
                               Rank root, const BlockLayout& all);

}  // namespace espalier::collective
