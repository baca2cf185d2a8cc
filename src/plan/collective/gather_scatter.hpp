#pragma once

#include "collective/block_layout.hpp"
#include "collective/participants.hpp"

namespace espalier::collective {

// Gathers and scatters among participants. Along any other tree: tree_gather.hpp.

/// Everybody sends its block straight to the root.
///
/// J. Pjesivac-Grbovic, T. Angskun, G. Bosilca, G. Fagg, E. Gabriel, J. Dongarra: "Performance
/// analysis of MPI collective operations", Cluster Computing 10(2), 2007: linear, flat tree.
///
/// Steps: P - 1 receives at the root, one for the others. Sent a rank: its block. No scratch.
/// @param own this rank's block
/// @param all at the root, where the blocks go; elsewhere not looked at
/// @param tag see send_families
void linear_gather(schedule::ProgramBuilder& program, const Participants& participants, Rank root,
                   const schedule::Region& own, const BlockLayout& all, std::uint32_t tag);

/// The root sends everybody its block, from the first position to the last.
///
/// J. Pjesivac-Grbovic, T. Angskun, G. Bosilca, G. Fagg, E. Gabriel, J. Dongarra: "Performance
/// analysis of MPI collective operations", Cluster Computing 10(2), 2007: linear, flat tree.
///
/// Steps: P - 1 sends at the root, one receive for the others. Sent: all blocks but its own by the
/// root, nothing by the others. No scratch.
/// @param all at the root, where the blocks are; elsewhere not looked at
/// @param own where this rank's block goes
/// @param tag see send_families
void linear_scatter(schedule::ProgramBuilder& program, const Participants& participants, Rank root,
                    const BlockLayout& all, const schedule::Region& own, std::uint32_t tag);

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

/// binomial_gather() where every rank has room for all blocks: each has its own in place before,
/// and its sub-tree's afterwards. No scratch.
void binomial_gather_in_place(schedule::ProgramBuilder& program, const Participants& participants,
                              Rank root, const BlockLayout& all);

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

/// binomial_scatter() where every rank has room for all blocks: the root has all in place before,
/// each its sub-tree's afterwards. No scratch.
void binomial_scatter_in_place(schedule::ProgramBuilder& program, const Participants& participants,
                               Rank root, const BlockLayout& all);

}  // namespace espalier::collective
