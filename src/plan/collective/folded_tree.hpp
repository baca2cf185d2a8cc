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
  /// Generations of the highest of the trees.
  [[nodiscard]] std::uint32_t height() const;
};

/// O(different parts * their members).
/// @param from_level levels above have no tree: masters of their members are roots
[[nodiscard]] FoldedTree folded_tree(const FoldedMachine& machine,
                                     std::span<const LevelChoice> choices,
                                     std::uint32_t from_level = 0);

}  // namespace espalier::collective
