#pragma once

#include "discover/found.hpp"

namespace espalier::discover {

/// A node whose messages cost it clearly more, or less, than they cost its neighbours.
struct UnusualNode {
  Node node = 0;
  bool sends = true;  ///< else it receives
  Time own;
  Time usual;
  [[nodiscard]] bool is_slow() const { return own > usual; }
};

/// Each node is compared with the middle one of the other nodes that it shares a cluster with; one
/// alone at its place with all that are in the cluster around it. Unusual is what costs twice as
/// much, or half as much, and differs by so much that it counts beside the way to them: a quarter
/// of the latency, 5 us at least and 100 us at most. Receiving is never unusually quick, since what
/// costs less than sending hides behind it. From the inside out, then by node.
[[nodiscard]] std::vector<UnusualNode> unusual_nodes(const FoundCluster& whole,
                                                     std::span<const NodeCost> costs);

/// What is to be written down: costs of unusual nodes as they were measured, and for all others the
/// middle one of those of their neighbours that are not unusual, since the rest is noise.
[[nodiscard]] std::vector<NodeCost> without_noise(const FoundCluster& whole,
                                                  std::span<const NodeCost> costs,
                                                  std::span<const UnusualNode> unusual);

}  // namespace espalier::discover
