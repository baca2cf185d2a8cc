#pragma once

#include <span>
#include <vector>

#include "model/cost_model.hpp"
#include "tree/comm_tree.hpp"

namespace espalier::tree {

// When a tree finishes: broadcast, reduce, gather and scatter.

/// When each rank has the message that the root holds at time 0, if every rank sends to its
/// children in their order as soon as it can. Ranks outside the tree: kForever. O(members).
[[nodiscard]] std::vector<Time> broadcast_times(const CommTree& tree, const model::CostModel& model,
                                                Bytes size);
/// When the last rank has the message.
[[nodiscard]] Time broadcast_time(const CommTree& tree, const model::CostModel& model, Bytes size);

/// broadcast_time() under initiation costs alone, without a model object.
[[nodiscard]] Time initiation_time(const CommTree& tree, std::span<const Time> send_cost);

/// When each rank holds the combined operands of its sub-tree, all ranks having their own at time
/// 0; from then on it sends them up. Ranks outside the tree: kForever.
///
/// Every rank receives from its children one after the other, in the reverse of the tree's order
/// (see comm_tree.hpp), each message occupying it for `receiver_busy` and then for
/// `combine_cost[rank]`, so a flat reduction is not free.
/// @pre `combine_cost` has one entry for each rank, or none: combining is free
///
/// O(members).
[[nodiscard]] std::vector<Time> reduce_times(const CommTree& tree, const model::CostModel& model,
                                             Bytes size, std::span<const Time> combine_cost = {});
/// When the root has the result.
[[nodiscard]] Time reduce_time(const CommTree& tree, const model::CostModel& model, Bytes size,
                               std::span<const Time> combine_cost = {});

/// The bytes of each rank and all below it: what passes between it and its parent. Ranks outside
/// the tree: 0. @pre bytes.size() == tree.size()
[[nodiscard]] std::vector<Bytes> subtree_bytes(const CommTree& tree, std::span<const Bytes> bytes);

/// When each rank holds the blocks of its whole sub-tree; rank r contributes bytes[r]. Children are
/// received in the reverse of the tree's order, each occupying its parent for `receiver_busy` of
/// all the bytes that it brings. Ranks outside the tree: kForever. O(members).
[[nodiscard]] std::vector<Time> gather_times(const CommTree& tree, const model::CostModel& model,
                                             std::span<const Bytes> bytes);
/// When the root has everything.
[[nodiscard]] Time gather_time(const CommTree& tree, const model::CostModel& model,
                               std::span<const Bytes> bytes);

/// When each rank holds the blocks for itself and all below it, the root having them at time 0: the
/// mirror of gather. Ranks outside the tree: kForever. O(members).
[[nodiscard]] std::vector<Time> scatter_times(const CommTree& tree, const model::CostModel& model,
                                              std::span<const Bytes> bytes);
/// When the last rank has its block.
[[nodiscard]] Time scatter_time(const CommTree& tree, const model::CostModel& model,
                                std::span<const Bytes> bytes);

}  // namespace espalier::tree
