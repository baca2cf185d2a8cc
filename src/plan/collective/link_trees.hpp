#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collective/algorithm.hpp"
#include "model/cost_model.hpp"
#include "tree/comm_tree.hpp"

namespace espalier::collective {

// Trees that look at links and at the speeds of nodes at once; for link_tree*.cpp only.

/// Makes the tree of a message of this length from a root.
using TreeByLinks = tree::CommTree (*)(const model::CostModel&, Bytes, const topology::Machine&,
                                       Rank root);

/// With more ranks a tree by all pairs takes too long to find; trees by cluster do not.
inline constexpr Rank kAllPairsUpTo = 64;

/// ECEF with look-ahead over all pairs of ranks.
[[nodiscard]] tree::CommTree by_all_pairs(const model::CostModel& model, Bytes size,
                                          const topology::Machine& machine, Rank root);

/// The tree of a broadcast, reduction, gather or scatter. Reductions and gathers are broadcasts and
/// scatters with the clock running backwards.
/// @param segment elements a message; 0: whole
[[nodiscard]] tree::CommTree link_tree(TreeByLinks make, const topology::Machine& machine,
                                       const schedule::Collective& call, std::uint64_t segment);

/// The ranks of each child's sub-tree, as bundles are packed.
[[nodiscard]] std::vector<std::vector<Rank>> bundles_below(const tree::CommTree& tree, Rank rank);

/// One tree of whole messages, and one for each length of segments.
[[nodiscard]] std::vector<Parameters> one_tree_a_segment(const schedule::Collective& call);

// Algorithm::text and Algorithm::read of plans whose only parameter is the segment.
[[nodiscard]] std::string link_tree_text(const schedule::Collective& call,
                                         const Parameters& parameters);
[[nodiscard]] std::optional<Parameters> read_link_tree(NameReader& reader, const Hierarchy&);

}  // namespace espalier::collective
