#pragma once

#include <span>
#include <vector>

#include "model/cost_model.hpp"
#include "tree/comm_tree.hpp"

namespace espalier::tree {

/// When each rank has the message that the root holds at time 0, if every rank sends to its
/// children in their order as soon as it can. Ranks outside the tree: kForever. O(members).
[[nodiscard]] std::vector<Time> broadcast_times(const CommTree& tree, const model::CostModel& model,
                                                Bytes size);
/// The last of them.
[[nodiscard]] Time broadcast_time(const CommTree& tree, const model::CostModel& model, Bytes size);

/// The same under initiation costs alone, without a model object.
[[nodiscard]] Time initiation_time(const CommTree& tree, std::span<const Time> send_cost);

}  // namespace espalier::tree
