#pragma once

#include <string>
#include <vector>

#include "lab/hosts.hpp"

namespace espalier::lab {

enum class LinkKind : std::uint8_t { Way, Uplink, Backbone };

/// Something frames pass on their way: it delays them, and passes no more than its rate.
///
/// - Way: from one member of a cluster to another, "wan:sdsc>anl": the channel's latency, or that
///   of the pair, and the pair's capacity. Every frame between two hosts passes exactly one, where
///   their sides meet, so the counters of ways say who crossed which channel how often.
/// - Uplink: of a cluster or a host, "anl:out", "anl:in", or "anl:both" if it is half duplex.
/// - Backbone: of a cluster, "anl:backbone".
struct LabLink {
  std::string name;
  LinkKind kind = LinkKind::Way;
  std::uint32_t level =
      0;  ///< level of the link's channel; for an uplink, of the channel it leads to
  Time delay;
  Bandwidth rate = kUnlimited;
  Bandwidth flow_cap = kUnlimited;  ///< ways only: limit of each connection

  friend bool operator==(const LabLink&, const LabLink&) = default;
};

/// A lab as a value: its hosts, its links, and which links a frame passes from host to host.
struct LabPlan {
  std::vector<LabHost> hosts;
  std::vector<LabLink> links;
  std::vector<std::vector<std::uint32_t>> routes;  ///< [from * hosts + to]: indices of links

  [[nodiscard]] const std::vector<std::uint32_t>& route(std::size_t from, std::size_t to) const {
    return routes[from * hosts.size() + to];
  }
  /// Sum of the delays from one host to the other.
  [[nodiscard]] Time delay(std::size_t from, std::size_t to) const;
};

/// The lab of a machine.
/// @post delay(a, b) is the machine's path latency between the parts that are the hosts (without
///       uplinks of processes inside a host: what is inside is real memory, not emulated)
Expected<LabPlan> plan_lab(const topology::Machine& machine);

}  // namespace espalier::lab
