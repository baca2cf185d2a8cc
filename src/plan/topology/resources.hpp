#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace espalier::topology {

/// The medium that joins the members of one cluster: a WAN between sites, a switch between nodes,
/// the memory between the processes of a node.
struct Channel {
  Time latency;                     ///< end to end, between two members
  Bandwidth backbone = kUnlimited;  ///< shared by all that enters, leaves or crosses the cluster
  Bandwidth flow_cap = kUnlimited;  ///< limit of one flow between two members (a TCP window)

  friend bool operator==(const Channel&, const Channel&) = default;
};

/// What joins a cluster, or a process, to the channel of the cluster it is in.
struct Uplink {
  Bandwidth out = kUnlimited;
  Bandwidth in = kUnlimited;
  bool half_duplex = false;  ///< one capacity serves out and in (then out == in)
  Time latency;              ///< added to the channel's for all that passes here

  friend bool operator==(const Uplink&, const Uplink&) = default;
};

/// A fixed cost for each message and one for its bytes.
struct Cost {
  Time fixed;
  Bandwidth rate = kUnlimited;

  [[nodiscard]] constexpr Time of(Bytes size) const { return fixed + transfer_time(size, rate); }
  friend bool operator==(const Cost&, const Cost&) = default;
};

/// What a message costs the process itself, as opposed to the network.
struct NodeCosts {
  Cost send;
  Cost recv;
  Bandwidth reduce = kUnlimited;               ///< operand bytes combined a second
  std::uint64_t speed_millionths = 1'000'000;  ///< compute speed relative to other nodes

  friend bool operator==(const NodeCosts&, const NodeCosts&) = default;
};

/// A distance between two members of one cluster that differs from its channel's, and the capacity
/// of the direct link between them, each way, where they have one of their own.
struct PairLink {
  std::uint32_t a = 0;  ///< index among the cluster's members; a < b
  std::uint32_t b = 0;
  Time latency;
  Bandwidth capacity = kUnlimited;

  friend bool operator==(const PairLink&, const PairLink&) = default;
};

}  // namespace espalier::topology
