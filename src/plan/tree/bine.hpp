#pragma once

#include "tree/comm_tree.hpp"
#include "tree/participants.hpp"

namespace espalier::tree {

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
