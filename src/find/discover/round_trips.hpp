#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "discover/experiment.hpp"

namespace espalier::discover {

struct RoundTrip {
  Time least;
  std::uint32_t samples = 0;
};

/// The least round trip seen between pairs of nodes, of small messages. Not all pairs are there.
class RoundTrips {
 public:
  explicit RoundTrips(Node nodes) : nodes_(nodes) {}

  [[nodiscard]] Node nodes() const { return nodes_; }
  void add(Node a, Node b, Time round_trip, std::uint32_t samples = 1);
  [[nodiscard]] std::optional<Time> find(Node a, Node b) const;
  /// Ordered by (lower node, higher node).
  [[nodiscard]] const std::map<std::pair<Node, Node>, RoundTrip>& all() const { return seen_; }

 private:
  Node nodes_;
  std::map<std::pair<Node, Node>, RoundTrip> seen_;
};

/// For each node the one that answers soonest; the lower one of equals, kNoNode if none was asked.
[[nodiscard]] std::vector<Node> nearest(const RoundTrips& seen);

}  // namespace espalier::discover
