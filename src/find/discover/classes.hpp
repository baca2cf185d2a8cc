#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "discover/found.hpp"

namespace espalier::discover {

/// Figures within this many percent of the least of their class are one class.
inline constexpr unsigned kClassPercent = 10;

/// For each figure, which figure stands for its class: the middle one, the lower of two. Classes
/// are cut from the least figure upwards. Ties keep their order.
[[nodiscard]] std::vector<std::size_t> class_middles(std::span<const double> figures);

/// Parts of a machine that are equal are measured a few percent apart. This gives all figures of a
/// class the same value, so that plans treat equal parts alike: latencies of clusters and of pairs
/// of a level, bandwidths of a level's members and pairs, caps of flows. What is not known (0, or
/// unlimited) stays.
void group_figures(FoundCluster& whole);

/// The same for what messages cost nodes.
void group_costs(std::vector<NodeCost>& costs);

}  // namespace espalier::discover
