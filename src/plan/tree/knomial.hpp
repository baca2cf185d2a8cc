#pragma once

#include "tree/comm_tree.hpp"
#include "tree/participants.hpp"

namespace espalier::tree {

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

}  // namespace espalier::tree
