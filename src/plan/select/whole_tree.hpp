#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collective/hierarchy.hpp"
#include "collective/multilevel.hpp"
#include "tree/comm_tree.hpp"

namespace espalier::select {

/// A tree (or several) over all ranks in flat arrays, as predictions walk over it.
struct WholeTree {
  std::vector<Rank> order;   ///< ranks, parents before children
  std::vector<Rank> parent;  ///< parent of each rank; kNoRank: a root
  /// Index of each rank's first child in `children`, and the end.
  std::vector<std::uint32_t> first;
  std::vector<Rank> children;          ///< children of all ranks, in the order of sending
  std::vector<std::uint32_t> subtree;  ///< number of ranks in the sub-tree of each rank

  [[nodiscard]] Rank size() const { return static_cast<Rank>(parent.size()); }
  [[nodiscard]] std::span<const Rank> children_of(Rank rank) const {
    return std::span(children).subspan(first[rank], first[rank + 1] - first[rank]);
  }
};

/// The same tree as collective::multilevel_links() describes rank by rank. O(processes + clusters).
[[nodiscard]] WholeTree multilevel_tree(const collective::Hierarchy& hierarchy,
                                        std::span<const collective::LevelChoice> choices, Rank root,
                                        std::uint32_t from_level = 0);
/// @param order the rank of each position of the tree; empty: they are ranks
[[nodiscard]] WholeTree whole_tree(const tree::CommTree& tree, std::span<const Rank> order = {});
/// Among some ranks, the first of them its root; all others stand alone.
[[nodiscard]] WholeTree participants_tree(Rank size, std::span<const Rank> participants,
                                          collective::Shape shape);

}  // namespace espalier::select
