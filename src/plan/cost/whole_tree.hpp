#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "tree/comm_tree.hpp"

namespace espalier::cost {

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

using TreeEdgeList = std::vector<std::pair<Rank, Rank>>;  ///< parent and child of each edge

/// @param edges of one parent in the order of its sending; ranks without any stand alone
[[nodiscard]] WholeTree tree_of_edges(Rank size, const TreeEdgeList& edges);
/// @param order the rank of each position of the tree; empty: they are ranks
[[nodiscard]] WholeTree whole_tree(const tree::CommTree& tree, std::span<const Rank> order = {});

}  // namespace espalier::cost
