#pragma once

#include <span>
#include <vector>

#include "model/cost_model.hpp"
#include "tree/comm_tree.hpp"

namespace espalier::tree {

/// When each rank holds the combined operands of its sub-tree, all ranks having their own at time
/// 0; from then on it sends them up. Ranks outside the tree: kForever.
///
/// Every rank receives from its children one after the other, in the reverse of the tree's order
/// (see mirrored.hpp), each message occupying it for `receiver_busy` and then for
/// `combine_cost[rank]`, so a flat reduction is not free.
/// @pre `combine_cost` has one entry for each rank, or none: combining is free
///
/// O(members).
[[nodiscard]] std::vector<Time> reduce_times(const CommTree& tree, const model::CostModel& model,
                                             Bytes size, std::span<const Time> combine_cost = {});
/// When the root has the result.
[[nodiscard]] Time reduce_time(const CommTree& tree, const model::CostModel& model, Bytes size,
                               std::span<const Time> combine_cost = {});

}  // namespace espalier::tree
