#pragma once

#include <vector>

#include "discover/survey.hpp"

namespace espalier::discover {

/// Two members that are nearer to each other, or farther, than the others of their cluster.
struct FoundPair {
  std::uint32_t a = 0;  ///< a < b
  std::uint32_t b = 0;
  Time latency;
};

/// What was found of a cluster, or of a node (then it has no members).
struct FoundCluster {
  std::vector<Node> nodes;
  std::vector<FoundCluster> members;

  // Between its members.
  Time latency;
  std::vector<FoundPair> pairs;
  Bandwidth flow_cap = kUnlimited;

  // To the others: unlimited where nothing was measured.
  Bandwidth out = kUnlimited;
  Bandwidth in = kUnlimited;
  bool at_least = false;  ///< not seen at its limit: it may be wider

  [[nodiscard]] bool is_node() const { return members.empty(); }
};

/// The clusters of a survey with their latencies: the middle one of the shortest links between two
/// members each, and pairs of up to 8 members where they differ from it by more than 15 %.
[[nodiscard]] FoundCluster with_latencies(const Survey& survey);

/// The clusters that hold several members, by depth, the outermost first.
[[nodiscard]] std::vector<std::vector<FoundCluster*>> by_depth(FoundCluster& whole);

}  // namespace espalier::discover
