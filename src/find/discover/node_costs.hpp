#pragma once

#include <span>
#include <vector>

#include "discover/round_trips.hpp"

namespace espalier::discover {

/// What a small message costs a node itself.
struct NodeCost {
  Time send;
  Time recv;
  friend bool operator==(const NodeCost&, const NodeCost&) = default;
};

/// One Stream, by the message: how long the sender was busy, and how fast they arrived.
struct StreamSeen {
  Node from = 0;
  Node to = 0;
  Time busy;
  Time pace;
};

/// The stream as it was measured over a link of that round trip. The pace is what remains after the
/// round trip; where that is little, or was seen twice only, it may be noise, and the pace is 0:
/// not known.
[[nodiscard]] StreamSeen stream_seen(const Experiment& experiment, const Measured& measured,
                                     Time round_trip);

/// A node's cost of sending is the least of its busy times. Its cost of receiving is the slowest
/// pace that no sender explains: messages arrive at max(send of i, recv of j), so where that is the
/// send of i, recv of j is hidden behind it and is taken as 0; it then counts as latency.
[[nodiscard]] std::vector<NodeCost> costs_from_streams(Node nodes,
                                                       std::span<const StreamSeen> streams);

/// Costs from round trips alone, send and recv together: half of what i and j, i and k take more
/// than j and k, the least over all j and k. A node alone at its place cannot be told from a slow
/// one this way (its link counts as its cost); two alike side by side have half their round trip
/// each. Brute force: O(nodes^3) where all pairs are known. Nodes without two partners: 0.
[[nodiscard]] std::vector<Time> costs_from_round_trips(const RoundTrips& seen);

}  // namespace espalier::discover
