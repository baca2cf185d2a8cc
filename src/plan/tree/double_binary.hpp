#pragma once

#include <cstdint>
#include <vector>

#include "tree/comm_tree.hpp"
#include "tree/participants.hpp"

namespace espalier::tree {

/// Two trees over the same participants with the same root. See double_binary().
struct DoubleTree {
  CommTree first;
  CommTree second;
  friend bool operator==(const DoubleTree&, const DoubleTree&) = default;
};

/// Two binary trees that keep every rank receiving and sending all the time: one half of a long
/// message goes down each, in segments.
///
/// In each the root has one child, and the others form a binary tree numbered in order, the second
/// one numbered one place on:
///
///   P = 8, first:  0 -> 4 -> 2, 6    2 -> 1, 3    6 -> 5, 7
///         second:  0 -> 3 -> 1, 5    1 -> 7, 2    5 -> 4, 6
///
/// @post both span the participants; nobody but the root sends in both; nobody but the root has
///       more than two children; heights at most 1 + floor(log2(P - 1))
///
/// O(P).
[[nodiscard]] DoubleTree double_binary(const Participants& who);

/// The step, 0 or 1, in which each rank receives in the first tree; in the second it receives in
/// the other one. In neither step does anybody receive twice or send twice, so that steps 0, 1, 0,
/// 1, ... carry one segment down each tree every two steps.
/// @pre  nobody receives from more than one rank in a tree, or sends to more than two in all
/// @post 0 for the root and for ranks outside the trees
///
/// O(P). The two steps could be swapped throughout: the lowest rank of each dependent set has 0.
[[nodiscard]] std::vector<std::uint8_t> two_colouring(const DoubleTree& trees);

}  // namespace espalier::tree
