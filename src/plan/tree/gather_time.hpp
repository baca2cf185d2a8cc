#pragma once

#include <span>
#include <vector>

#include "model/cost_model.hpp"
#include "tree/comm_tree.hpp"

namespace espalier::tree {

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
