#pragma once

#include <span>

#include "tree/comm_tree.hpp"

namespace espalier::tree {

/// A tree of the same members in which no rank but the root has a faster child, and nobody is
/// served later than in `tree`: Lemma 2 of Banikazemi, Moorthy and Panda (ICPP 1998) as a
/// procedure.
///
/// Model: one message occupies its sender for `send_cost[sender]`, as in fastest_node_first.hpp.
/// @pre send_cost.size() == tree.size()
[[nodiscard]] CommTree with_faster_parents(const CommTree& tree, std::span<const Time> send_cost);

/// What with_faster_parents() gives.
[[nodiscard]] bool has_faster_parents(const CommTree& tree, std::span<const Time> send_cost);

}  // namespace espalier::tree
