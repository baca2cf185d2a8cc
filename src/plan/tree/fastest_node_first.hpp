#pragma once

#include <span>

#include "tree/comm_tree.hpp"
#include "tree/participants.hpp"

namespace espalier::tree {

/// Broadcast or multicast tree for ranks that send at different speeds (FNF).
///
/// Model: one message occupies its sender for `send_cost[sender]`; the receiver may forward it as
/// soon as that time is over. Links are taken as equal; if they are not, see
/// earliest_completing_edge_first.hpp.
/// @pre  send_cost.size() == who.machine_size
/// @post spans the participants; children are stored in the order in which they are sent to
///
/// O(P log P). Ties go to the lower rank, so ranks that plan alone still build the same tree.
[[nodiscard]] CommTree fastest_node_first(std::span<const Time> send_cost, const Participants& who);

/// The participants without the root, fastest first, ties by rank.
[[nodiscard]] std::vector<Rank> others_fastest_first(std::span<const Time> send_cost,
                                                     const Participants& who);

}  // namespace espalier::tree
