#pragma once

#include <span>

#include "tree/comm_tree.hpp"
#include "tree/participants.hpp"

namespace espalier::tree {

/// Reduction or gather tree for ranks that receive and combine at different speeds: the mirror of
/// fastest_node_first.
///
/// Model: a message occupies its receiver for `recv_cost` and `combine_cost` of that rank, and
/// nothing else costs. Backwards in time that is a broadcast under initiation costs, so FNF's
/// bounds hold: within 1.5 of the optimum. To be used with reduce_times() or gather_times(), which
/// receive in the reverse of the tree's order; gathering, give no cost of combining.
/// @pre recv_cost.size() == who.machine_size, and so combine_cost.size() unless it is empty
///
/// O(P log P). Ties go to the lower rank.
[[nodiscard]] CommTree speed_aware_reduction_tree(std::span<const Time> recv_cost,
                                                  std::span<const Time> combine_cost,
                                                  const Participants& who);

}  // namespace espalier::tree
