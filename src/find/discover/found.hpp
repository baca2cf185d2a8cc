#pragma once

#include <optional>
#include <vector>

#include "discover/survey.hpp"

namespace espalier::discover {

/// Two members whose link differs from what their cluster and their uplinks say.
struct FoundPair {
  std::uint32_t a = 0;  ///< the lower of the two: a < b
  std::uint32_t b = 0;
  Time latency;
  Bandwidth capacity = kUnlimited;  ///< unlimited: no less than their uplinks carry
};

/// Figures of a cluster, or of a node (which has no members).
struct FoundCluster {
  std::vector<Node> nodes;
  std::vector<FoundCluster> members;

  // Figures of the network between its members.
  Time latency;
  std::vector<FoundPair> pairs;
  Bandwidth flow_cap = kUnlimited;

  // Bandwidth to and from the rest of the machine; unlimited: not measured.
  Bandwidth out = kUnlimited;
  Bandwidth in = kUnlimited;
  bool at_least = false;  ///< the limit was not reached: the link may be wider

  [[nodiscard]] bool is_node() const { return members.empty(); }
};

/// The clusters of a survey with their latencies: the middle one of the shortest links between two
/// members each, and pairs of up to 8 members where they differ from it by more than 15 %.
[[nodiscard]] FoundCluster with_latencies(const Survey& survey);

/// The clusters that hold several members, by depth, the outermost first.
[[nodiscard]] std::vector<std::vector<FoundCluster*>> by_depth(FoundCluster& whole);

/// The message size from which the sender waits for a rendezvous, and what that costs.
struct EagerLimit {
  Bytes limit{0};               ///< largest message that was sent without asking
  std::uint32_t crossings = 0;  ///< extra one-way latencies that a longer message takes
};

/// Times of sizes 1, 2, 4 ... KiB over a link: the limit is where they rise, from one size to the
/// next, by a crossing or more beyond what the bytes take. Nothing if they never do.
/// @pre as many times as sizes, sizes ascending
[[nodiscard]] std::optional<EagerLimit> eager_limit(std::span<const Bytes> sizes,
                                                    std::span<const Time> round_trips, Time latency,
                                                    Bandwidth rate);

/// The limit on each level, the outermost first: searched on the innermost one, where a probe takes
/// least; on the others only what lies right below and above it is measured. A level where
/// nothing rises, or for which there was no time, has none.
Expected<std::vector<std::optional<EagerLimit>>> find_eager_limits(Prober& prober,
                                                                   FoundCluster& whole, Time until);

/// A node whose messages cost it clearly more, or less, than they cost its neighbours.
struct UnusualNode {
  Node node = 0;
  bool sends = true;  ///< whether its sending is unusual; false: its receiving
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

/// Costs for the machine: unusual nodes keep what was measured; every other node gets the median of
/// its neighbours that are not unusual, since its own difference from it is noise.
[[nodiscard]] std::vector<NodeCost> without_noise(const FoundCluster& whole,
                                                  std::span<const NodeCost> costs,
                                                  std::span<const UnusualNode> unusual);

}  // namespace espalier::discover
