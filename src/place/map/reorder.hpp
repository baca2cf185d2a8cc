#pragma once

#include <span>
#include <vector>

#include "profile/profile.hpp"
#include "topology/machine.hpp"

namespace espalier::map {

/// Who is to be which node of a graph of processes that communicate along its edges: for each node
/// a member of `ranks`, by its index.
///
/// As they come (node i is member i) unless TreeMatch-style groups or a greedy mapping, after
/// swaps that lessen the cost, make the sum of all edges' costs smaller and a round of messages
/// along all edges, as replayed, not longer by more than a hundredth. No libscotch: programs may
/// bring their own.
/// @param ranks of the machine, each once; at least as many as nodes
/// @param pairs between nodes; those of a node with itself do not matter
[[nodiscard]] std::vector<Rank> reorder(const topology::Machine& machine,
                                        std::span<const Rank> ranks, Rank nodes,
                                        std::vector<profile::Pair> pairs);

}  // namespace espalier::map
