#pragma once

#include <span>
#include <vector>

#include "group/group_view.hpp"

namespace espalier::group {

/// The members of an innermost cluster: where it lies, from the outermost cluster inwards, and how
/// many there are. Paths may differ in length.
struct ClusterCount {
  Words path;
  Rank count = 0;
};

/// Another cluster's tree that hangs below one of ours.
struct Hanging {
  Rank first = 0;  ///< rank of its root
  Rank total = 0;  ///< number of ranks in it and in all trees that hang below it
};

/// Where the members of an innermost cluster go on a tree that follows the topology: they have the
/// ranks first .. first + size - 1.
struct ClusterSpot {
  Rank first = 0, size = 0;
  Rank above = kNoRank;     ///< parent of the first rank; kNoRank: the first rank is the root
  std::uint32_t slot = 0;   ///< which child of `above` the first rank is, counted from 1
  std::uint32_t depth = 0;  ///< depth of the first rank
  bool gateway = false;  ///< the last rank is a child of the first, so that others can hang there
  std::vector<Hanging> hanging;  ///< trees below the last rank; at most `degree`
};

/// The order of clusters; those that lie directly in a cluster come after its own clusters.
[[nodiscard]] bool lies_before(const Words& a, const Words& b);

/// A tree of clusters in which the members of every cluster, inner or outer, are connected.
///
/// The clusters inside a cluster are a k-ary tree like any other; each hangs below the *gateway* of
/// the one above it: its last rank, which is a child of its first and has no children inside. So
/// one hop inside leads to the next k clusters, however large a cluster is, and no vertex has more
/// than k children. An outer cluster's gateway is that of its last inner one, a child of its first.
/// Clusters that nothing hangs below need no gateway: their trees have the least height.
/// Ranks are depth-first; every cluster has consecutive ones.
/// @pre by lies_before(), without repetitions; counts and there are none of 0; degree > 1
/// @return one for each, in the same order
[[nodiscard]] std::vector<ClusterSpot> arrange_clusters(std::span<const ClusterCount> clusters,
                                                        Rank degree);

/// One vertex of the tree.
struct Vertex {
  Rank rank = 0;
  std::uint32_t depth = 0;
  Rank parent = kNoRank;
  std::uint32_t slot = 0;         ///< which child of its parent it is, counted from 1
  std::vector<Hanging> children;  ///< root and size of each child's sub-tree
};

/// The member number `offset` of a cluster. O(k log size) @pre offset < spot.size
[[nodiscard]] Vertex vertex_at(const ClusterSpot& spot, Rank offset, Rank degree);

}  // namespace espalier::group
