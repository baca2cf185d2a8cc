#pragma once

#include "collective/participants.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

// Broadcasts among participants. Along any other tree: tree_links.hpp.

/// R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of collective communication operations in
/// MPICH", IJHPCA 19(1), 2005: the binomial tree, whose ranks pass the whole message on to one
/// child after the other, the one with most ranks below it first.
///
/// A long message that waits for its receiver then has the sender's link to itself: on equal links
/// of bandwidth B everybody has it after ceil(log2 P) (L + n/B), where a tree that serves all
/// children at once (tree_links.hpp, without segments) has the root's first child wait for all
/// of them. Each child costs a latency more, so it is for near ones.
void binomial_broadcast(schedule::ProgramBuilder& program, const Participants& participants,
                        Rank root, const schedule::Region& region);

/// The second half of scatter_allgather_broadcast.
enum class AllgatherOf : std::uint8_t { Ring, RecursiveDoubling };

/// The message is scattered in P pieces down a binomial tree, then the pieces go around to all.
///
/// M. Barnett, S. Gupta, D. Payne, L. Shuler, R. van de Geijn, J. Watts: "Building a
/// high-performance collective communication library", SC 1994 (van de Geijn's broadcast); with
/// both allgathers in R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of collective
/// communication operations in MPICH", IJHPCA 19(1), 2005.
///
/// Steps: ceil(log2 P), and P - 1 (ring) or log2 P (recursive doubling). Sent a rank: (P-1)/P of
/// the message in the allgather, and in the scatter its sub-tree's pieces but its own: about twice
/// the message by the root, whatever P. No scratch.
/// @param region the message: complete at the root before, everywhere afterwards. A plain slice
/// @pre for RecursiveDoubling the participants' size is a power of two
void scatter_allgather_broadcast(schedule::ProgramBuilder& program,
                                 const Participants& participants, Rank root,
                                 const schedule::Region& region, AllgatherOf second);

/// Bytes of a message of the double tree, which is always a pipeline.
inline constexpr std::uint64_t kDoubleTreeSegment = 16384;

/// One half of the message goes down each of two binary trees, in segments; who is inside in one is
/// a leaf of the other, so everybody sends and receives all the time.
///
/// P. Sanders, J. Speck, J. L. Traeff: "Two-tree algorithms for full bandwidth broadcast, reduction
/// and scan", Parallel Computing 35(12), 2009: 2Tree. See tree/double_binary.hpp for the trees and
/// the order in which they send.
///
/// Steps: about 2 (log2 P + segments of a half). Sent a rank: at most the message, by the root
/// too. No scratch.
/// @param region  the message: complete at the root before, everywhere afterwards. A plain slice
/// @param segment units; 0: each half in one
void double_tree_broadcast(schedule::ProgramBuilder& program, const Participants& participants,
                           Rank root, const schedule::Region& region, std::uint64_t segment);

}  // namespace espalier::collective
