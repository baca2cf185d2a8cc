#pragma once

#include "map/problem.hpp"

namespace espalier::map {

// Mappings of processes to slots by who communicates with whom, without the order of dependence and
// without the speed of nodes. `slots` are candidates in the order of preference; the first as many
// as there are processes are used, but for greedy_placement. All obey pins.

/// Up the machine's tree: processes into groups of a host's size, these into groups of a cluster's
/// number of hosts, and so on, each by affinity (E. Jeannot, G. Mercier, F. Tessier: "Process
/// placement in multicore clusters: algorithmic issues and practical techniques", IEEE TPDS 2014).
/// In that style: groups grow greedily, where TreeMatch searches among all groups for small ones.
[[nodiscard]] Placement grouped_placement(const Problem& problem,
                                          const std::vector<std::uint32_t>& slots);

/// The process with most to say to those already placed goes next, to the slot where that costs
/// least.
[[nodiscard]] Placement greedy_placement(const Problem& problem,
                                         const std::vector<std::uint32_t>& slots);

}  // namespace espalier::map
