#pragma once

#include "tree/comm_tree.hpp"
#include "tree/participants.hpp"

namespace espalier::tree {

// Trees that look at nothing but the positions of the participants.

/// The root sends to everybody itself, in the order of `who.others`.
///
/// One message deep, P - 1 sends one after the other. O(P).
/// @post spans the participants; height 1 (0 for the root alone)
[[nodiscard]] CommTree flat(const Participants& who);

/// Everybody passes the message on to the next of `who.others`.
///
/// Each rank sends once; P - 1 messages deep, so it is a tree for long messages in many segments.
/// O(P).
/// @post spans the participants; height P - 1
[[nodiscard]] CommTree chain(const Participants& who);

/// Every rank has k children, filled level by level: position p sends to k p + 1, ..., k p + k.
///
/// Nobody sends more than k times, so segments pipeline through it at the speed of k sends. k = 1
/// is the chain. O(P).
/// @pre  k >= 1
/// @post spans the participants; height = the least h with 1 + k + ... + k^h >= P
[[nodiscard]] CommTree kary(const Participants& who, Rank k);

/// The binomial tree with radix k: position p's parent is p with its lowest non-zero digit to the
/// base k set to zero. The largest sub-trees are served first.
///
///   k = 3, P = 9:    0 -> 3, 6, 1, 2     3 -> 4, 5     6 -> 7, 8
///
/// Fewer levels than the binomial tree, more sends from each rank: for links whose latency is
/// several sends long. O(P).
/// @pre  k >= 2
/// @post spans the participants; height = the greatest h with 1 + k + ... + k^(h-1) < P
[[nodiscard]] CommTree knomial(const Participants& who, Rank k);

/// The tree of recursive doubling, as MPICH sends it: position p's parent is p without its lowest
/// one-bit, the child farthest away is served first.
///
///   P = 8:    0 -> 4, 2, 1     4 -> 6, 5     2 -> 3     6 -> 7
///
/// Optimal for one message if a send takes every rank equally long and arrives when it is over.
/// O(P).
/// @post spans the participants; height floor(log2 P); the root has ceil(log2 P) children
[[nodiscard]] CommTree binomial(const Participants& who);

/// A binomial tree whose messages travel two thirds as far (Bine, distance halving).
///
/// The positions lie on a ring around the root. Written to the base -2, the numbers of s digits are
/// 2^s neighbours on that ring, some on either side of the root; those that share their first
/// digits are neighbours too. A holder serves the half of its block that it is not in, largest
/// block first, so that the distances are 1, 1, 3, 5, 11, 21, ... where the binomial tree has
/// 1, 2, 4, 8, 16, 32, ....
///
///   P = 8:    0 -> 3, 7, 1     3 -> 4, 2     7 -> 6     4 -> 5
///
/// The paper has P = 2^s. For other P ours takes the blocks of the next power of two and keeps P
/// neighbours of them, the root at the same place in proportion; a block is then served through
/// its member nearest to the paper's, and passed over if none of it is kept.
/// @post spans the participants; sends of equal length need ceil(log2 P) of them one after the
///       other; every sub-tree is a contiguous part of the ring; with P = 2^s the paper's tree
///
/// O(P).
[[nodiscard]] CommTree bine(const Participants& who);

}  // namespace espalier::tree
