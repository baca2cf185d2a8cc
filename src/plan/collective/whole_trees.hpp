#pragma once

#include <span>

#include "collective/algorithm.hpp"
#include "collective/hierarchy.hpp"
#include "collective/multilevel.hpp"
#include "collective/tree_links.hpp"
#include "cost/whole_tree.hpp"

namespace espalier::collective {

/// The same tree as multilevel_links() describes rank by rank. O(processes + clusters).
[[nodiscard]] cost::WholeTree multilevel_tree(const Hierarchy& hierarchy,
                                              std::span<const LevelChoice> choices, Rank root,
                                              std::uint32_t from_level = 0);
/// The edges of a tree among some ranks, the first of them its root.
void add_tree(cost::TreeEdgeList& edges, std::span<const Rank> participants, Shape shape);
/// Among some ranks, the first of them its root; all others stand alone.
[[nodiscard]] cost::WholeTree participants_tree(Rank size, std::span<const Rank> participants,
                                                Shape shape);

/// A broadcast's or reduction's parts along one tree over all ranks.
/// @param segment elements a message; 0: whole @pre `call` outlives it
[[nodiscard]] PartOf parts_along(tree::CommTree tree, std::uint64_t segment,
                                 const schedule::Collective& call);
/// Its predicted time. @param segment bytes a message; 0: whole
[[nodiscard]] cost::Picos time_along(const tree::CommTree& tree, double segment,
                                     const cost::CostView& cost_view,
                                     const schedule::Collective& call);

}  // namespace espalier::collective
