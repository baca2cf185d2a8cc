#pragma once

#include <span>
#include <vector>

#include "base/expected.hpp"
#include "model/cost_model.hpp"
#include "tree/comm_tree.hpp"
#include "tree/participants.hpp"

namespace espalier::tree {

// Trees for ranks that send at different speeds over links that count for nothing, one algorithm a
// source file.

/// What a message of `size` costs each participant that sends it, if under this model that is all
/// that matters: whoever it goes to has it when its sender is free again, and is not kept busy.
/// One entry for each rank of the machine; 0 for those who take no part.
///
/// Refuses models in which links or receiving count, naming the two ranks that show it. Asks for
/// all ordered pairs of participants, O(P^2), but for NodeInitiation, whose costs are known to be
/// such; other models are refused beyond kMostPairsAsked participants.
/// @pre model.size() == who.machine_size
Expected<std::vector<Time>> initiation_costs_of(const model::CostModel& model, Bytes size,
                                                const Participants& who);
inline constexpr Rank kMostPairsAsked = 8192;

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

/// Speed-partitioned ordered chain: the binomial tree, in which faster ranks take the places with
/// more descendants. The order of who.others does not matter.
///
/// Model: one message occupies its sender for `send_cost[sender]`; the receiver may forward it as
/// soon as that time is over.
/// @pre  send_cost.size() == who.machine_size
/// @post spans the participants; shape and order of children are those of shapes.hpp
///
/// O(P log P). Ties: among places with equally many descendants the one that is served in a later
/// step comes first (of 4,000 random machines that is faster on 505 and slower on 160 than the
/// other way round), then the one whose parent has the lower rank; among ranks of equal cost the
/// lower rank. So where the participants are a power of two, and half of them, the root
/// among them, are equally fast and the others equally slow, it is the tree of
/// fastest_node_first(); where they are not a power of two, it still takes as long.
[[nodiscard]] CommTree spoc(std::span<const Time> send_cost, const Participants& who);

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

/// A tree of the same members in which no rank but the root has a faster child, and nobody is
/// served later than in `tree`: Lemma 2 of Banikazemi, Moorthy and Panda (ICPP 1998) as a
/// procedure.
///
/// Model: one message occupies its sender for `send_cost[sender]`, as for fastest_node_first().
/// @pre send_cost.size() == tree.size()
[[nodiscard]] CommTree with_faster_parents(const CommTree& tree, std::span<const Time> send_cost);

/// Whether no rank but the root has a faster child.
[[nodiscard]] bool has_faster_parents(const CommTree& tree, std::span<const Time> send_cost);

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
