#pragma once

#include <span>

#include "tree/comm_tree.hpp"
#include "tree/participants.hpp"

namespace espalier::tree {

/// The tree in which the destinations are served in this order, each by whoever can be done with it
/// first; among those, by the lowest rank.
///
/// Model: one message occupies its sender for `send_cost[sender]`; the receiver may forward it as
/// soon as that time is over. By Lemma 1 of Banikazemi, Moorthy and Panda (ICPP 1998) some order
/// gives an optimal tree.
/// @pre send_cost.size() == who.machine_size; `order` holds who.others, each once
///
/// O(P log P).
[[nodiscard]] CommTree list_schedule(std::span<const Time> send_cost, const Participants& who,
                                     std::span<const Rank> order);

}  // namespace espalier::tree
