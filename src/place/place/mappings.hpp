#pragma once

#include "place/problem.hpp"

namespace espalier::place {

// Mappings of processes to slots by who communicates with whom, without the order of dependence and
// without the speed of nodes. `slots` are candidates in the order of preference; the first as many
// as there are processes are used, but for greedy_placement. All obey pins.

/// Down the machine's tree: the processes of each cluster are cut into its members' shares with
/// libscotch (F. Pellegrini, J. Roman: "Scotch: a software package for static mapping by dual
/// recursive bipartitioning of process and architecture graphs", HPCN 1996).
[[nodiscard]] Placement scotch_placement(const Problem& problem,
                                         const std::vector<std::uint32_t>& slots);

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

/// The affinity of two processes for the first two: whole numbers that grow with their cost on the
/// slowest path, at least 1.
[[nodiscard]] std::vector<std::int32_t> affinities(const Problem& problem);

}  // namespace espalier::place
