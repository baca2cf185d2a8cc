#pragma once

#include <span>

#include "collective/hierarchy.hpp"
#include "collective/multilevel.hpp"
#include "cost/whole_tree.hpp"

namespace espalier::collective {

/// The same tree as multilevel_links() describes rank by rank. O(processes + clusters).
[[nodiscard]] cost::WholeTree multilevel_tree(const Hierarchy& hierarchy,
                                              std::span<const LevelChoice> choices, Rank root,
                                              std::uint32_t from_level = 0);
/// Among some ranks, the first of them its root; all others stand alone.
[[nodiscard]] cost::WholeTree participants_tree(Rank size, std::span<const Rank> participants,
                                                Shape shape);

}  // namespace espalier::collective
