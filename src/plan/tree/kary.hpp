#pragma once

#include "tree/comm_tree.hpp"
#include "tree/participants.hpp"

namespace espalier::tree {

/// Every rank has k children, filled level by level: position p sends to k p + 1, ..., k p + k.
///
/// Nobody sends more than k times, so segments pipeline through it at the speed of k sends. k = 1
/// is the chain. O(P).
/// @pre  k >= 1
/// @post spans the participants; height = the least h with 1 + k + ... + k^h >= P
[[nodiscard]] CommTree kary(const Participants& who, Rank k);

}  // namespace espalier::tree
