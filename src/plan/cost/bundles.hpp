#pragma once

#include <span>
#include <vector>

#include "cost/cost_view.hpp"
#include "cost/whole_tree.hpp"

namespace espalier::cost {

/// Blocks of `block` bytes that travel along a tree as bundles, one message for each sub-tree.
/// O(ranks) each.

/// When each rank has the bundle of its sub-tree. Of the roots: when they have all.
[[nodiscard]] std::vector<Picos> gather_times(const CostView& cost_view, const WholeTree& tree,
                                              double block);
[[nodiscard]] Picos gather_time(const CostView& cost_view, const WholeTree& tree, double block);
/// When each rank has its sub-tree's bundle, if the roots have theirs from the start.
[[nodiscard]] std::vector<Picos> scatter_times(const CostView& cost_view, const WholeTree& tree,
                                               double block);
[[nodiscard]] Picos scatter_time(const CostView& cost_view, const WholeTree& tree, double block);

/// Several bundles down all trees, one message each, in their order.
/// @param roots the trees' roots; here[i][b]: when root i has bundle b of sizes[b] bytes
[[nodiscard]] Picos bundles_down_time(const CostView& cost_view, const WholeTree& tree,
                                      std::span<const Rank> roots, std::span<const double> sizes,
                                      std::span<const std::vector<Picos>> here);

}  // namespace espalier::cost
