#pragma once

#include "tree/comm_tree.hpp"
#include "tree/participants.hpp"

namespace espalier::tree {

/// The tree of recursive doubling, as MPICH sends it: position p's parent is p without its lowest
/// one-bit, the child farthest away is served first.
///
///   P = 8:    0 -> 4, 2, 1     4 -> 6, 5     2 -> 3     6 -> 7
///
/// Optimal for one message if a send takes every rank equally long and arrives when it is over.
/// O(P).
/// @post spans the participants; height floor(log2 P); the root has ceil(log2 P) children
[[nodiscard]] CommTree binomial(const Participants& who);

}  // namespace espalier::tree
