#pragma once

#include <span>
#include <vector>

#include "profile/profile.hpp"
#include "topology/machine.hpp"

namespace espalier::map {

/// Assigns processes to the nodes of a graph along whose edges they communicate.
///
/// Candidates: the given order (node i is member i), TreeMatch-style groups and a greedy mapping,
/// each improved by swaps. The one with the least sum of edge costs wins, if a replayed round of
/// messages along all edges takes at most 1 % longer than in the given order. Does not use
/// libscotch: programs may bring their own.
/// @param ranks ranks of the machine, each once; at least as many as nodes
/// @param pairs traffic between nodes; that of a node with itself is ignored
/// @return for each node the index of its process in `ranks`
[[nodiscard]] std::vector<Rank> reorder(const topology::Machine& machine,
                                        std::span<const Rank> ranks, Rank nodes,
                                        std::vector<profile::Pair> pairs);

}  // namespace espalier::map
