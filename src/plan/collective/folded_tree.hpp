#pragma once

#include <map>
#include <span>
#include <vector>

#include "collective/folded_machine.hpp"
#include "collective/multilevel.hpp"

namespace espalier::collective {

/// The tree of multilevel_links() with its equal sub-trees told once.
///
/// A kind is a sub-tree: all ranks whose sub-trees are equal in figures and shape, and hang from an
/// edge of the same level, are of one kind. One of them stands for all.
struct FoldedTree {
  struct Kind {
    Rank rank = kNoRank;      ///< one of them, by the folded machine
    Rank beside = kNoRank;    ///< the master of the group in which it has its parent; none: a root
    std::uint32_t level = 0;  ///< level of the edge to its parent
    std::uint32_t generation = 0;       ///< generation within the group in which it has its parent
    std::vector<Rank> children;         ///< children are in the order of sending
    std::vector<std::uint32_t> levels;  ///< level of the edge to each child
    std::vector<std::uint32_t> kinds;   ///< kind of each child
    double subtree = 1;                 ///< number of ranks of the sub-tree
    std::uint32_t height = 0;           ///< generations below it
    [[nodiscard]] bool has_parent() const { return beside != kNoRank; }
  };
  struct Root {
    Rank rank = kNoRank;
    std::uint32_t kind = 0;
  };
  std::vector<Kind> kinds;  ///< children before parents
  std::vector<Root> roots;
  /// Of the outermost group: number of edges from each generation. Empty: it has none.
  std::vector<std::uint32_t> outermost_edges;
  std::vector<Root> outermost;  ///< its masters but the first
  /// Links of clusters of lower depths are not a kind's own: several kinds lie below.
  std::uint32_t owned_from = 0;
  /// Generations of the highest of the trees.
  [[nodiscard]] std::uint32_t height() const;
};

/// O(different parts * their members).
/// @param from_level levels above have no tree: masters of their members are roots
[[nodiscard]] FoldedTree folded_tree(const FoldedMachine& machine,
                                     std::span<const LevelChoice> choices,
                                     std::uint32_t from_level = 0);

/// The tree of a plan that sees the machine as clusters of a depth: from the root straight to the
/// masters of all other ones, and trees over the levels inside of each.
/// @param machine for plans over clusters of this depth
/// @param choices of all levels of the machine; those above the depth mean nothing
/// @param from_level 1: no tree between the clusters, whose masters are roots
[[nodiscard]] FoldedTree folded_two_level_tree(const FoldedMachine& machine, std::uint32_t depth,
                                               std::span<const LevelChoice> choices,
                                               std::uint32_t from_level);

}  // namespace espalier::collective
