#pragma once

#include "collective/block_layout.hpp"
#include "collective/participants.hpp"

namespace espalier::collective {

// Allgathers among participants. Algorithms of one paper share a source file: ring.cpp, bruck.cpp.

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

/// Everybody sends its block to everybody at once, beginning with the next rank.
///
/// J. Pjesivac-Grbovic, T. Angskun, G. Bosilca, G. Fagg, E. Gabriel, J. Dongarra: "Performance
/// analysis of MPI collective operations", Cluster Computing 10(2), 2007: linear. Beginning with
/// the next rank spares rank 0 from being everybody's first.
///
/// Steps: one latency, P - 1 messages a rank, in one family of sends and one of receives. Sent a
/// rank: P - 1 times its block. No scratch.
/// @param all has this rank's block in place; afterwards all blocks
/// @param tag see send_families
void direct_allgather(schedule::ProgramBuilder& program, const Participants& participants,
                      const BlockLayout& all, std::uint32_t tag);

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
