#pragma once

#include <iosfwd>
#include <span>
#include <vector>

#include "discover/node_costs.hpp"

namespace espalier::discover {

/// What lies between two nodes, one way, without what it costs them; `doubt` is how far off it may
/// be, since it is a small difference of large numbers where nodes are slow.
struct LinkSeen {
  Node a = 0;
  Node b = 0;
  Time latency;
  Time doubt;
};

/// Half of each round trip without both nodes' costs; never negative.
[[nodiscard]] std::vector<LinkSeen> links_seen(const RoundTrips& seen,
                                               std::span<const NodeCost> costs);
[[nodiscard]] std::vector<LinkSeen> links_seen(const RoundTrips& seen,
                                               std::span<const Time> send_and_recv);

/// A cluster of nodes: a single node, or members that are nearer to themselves than to each other.
struct LinkCluster {
  std::vector<Node> nodes;  ///< all nodes of the cluster, ascending
  /// Sub-clusters, ordered by their lowest node; empty: a single node.
  std::vector<LinkCluster> members;

  [[nodiscard]] bool is_node() const { return members.empty(); }
  friend bool operator==(const LinkCluster&, const LinkCluster&) = default;
};

/// "((0 1) (2 3))"
std::ostream& operator<<(std::ostream& out, const LinkCluster& cluster);

/// Where one level ends and the next begins, as a ratio of latencies.
struct GapRule {
  double always = 3.0;  ///< a gap of this ratio always separates two levels
  /// A smaller one is a level if at least two of the clusters that it makes hold links of the same
  /// order: three sites at 10, 20 and 30 ms are neighbours at unequal distances, racks are racks.
  double if_structured = 1.5;
};

/// Clusters of any depth from the links between some pairs, by gaps between the latencies: the
/// number of levels comes out of the data. Each cluster is split by its own largest links, so that
/// depths may differ. Single linkage over the least spanning tree: a link that a moment's traffic
/// made long does no harm as long as another one joins the two sides.
/// @pre nodes >= 1; the links join all nodes
[[nodiscard]] LinkCluster cluster_links(Node nodes, std::span<const LinkSeen> links,
                                        const GapRule& rule = {});

/// The innermost clusters, by their lowest node.
[[nodiscard]] std::vector<std::vector<Node>> innermost(const LinkCluster& whole);

/// Levels of the deepest node: 0 for a node alone.
[[nodiscard]] std::uint32_t depth(const LinkCluster& whole);

}  // namespace espalier::discover
