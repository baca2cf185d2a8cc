#pragma once

#include <span>

#include "tree/comm_tree.hpp"
#include "tree/participants.hpp"

namespace espalier::tree {

/// Speed-partitioned ordered chain: the binomial tree, in which faster ranks take the places with
/// more descendants. The order of who.others does not matter.
///
/// Model: one message occupies its sender for `send_cost[sender]`; the receiver may forward it as
/// soon as that time is over.
/// @pre  send_cost.size() == who.machine_size
/// @post spans the participants; shape and order of children are those of binomial.hpp
///
/// O(P log P). Ties: among places with equally many descendants the one that is served in an
/// earlier step comes first, then the one whose parent has the lower rank; among ranks of equal
/// cost the lower rank. So where the participants are a power of two, and half of them, the root
/// among them, are equally fast and the others equally slow, it is the tree of
/// fastest_node_first(); where they are not a power of two, it still takes as long.
[[nodiscard]] CommTree spoc(std::span<const Time> send_cost, const Participants& who);

}  // namespace espalier::tree
