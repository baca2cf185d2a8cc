#pragma once

#include <algorithm>
#include <vector>

#include "base/types.hpp"
#include "topology/simgrid/platform.hpp"

namespace espalier::topology::simgrid {

/// Signed and wide: sums and differences of latencies never overflow it.
using Picoseconds = __int128;

[[nodiscard]] constexpr Time to_time(Picoseconds ps) {
  if (ps < 0) return Time{0};
  return ps < kForever.picoseconds ? Time{static_cast<std::int64_t>(ps)} : kForever;
}

/// A part of a route: links that have found no place in the machine yet, and what is left of the
/// others once they have.
struct RoutePart {
  std::vector<LinkId> links;
  Picoseconds latency = 0;       ///< latency in addition to that of `links`
  Bandwidth width = kUnlimited;  ///< capacity that all flows share
  Bandwidth cap = kUnlimited;    ///< limit of each single flow

  void append(const RoutePart& next) {
    links.insert(links.end(), next.links.begin(), next.links.end());
    latency += next.latency;
    width = std::min(width, next.width);
    cap = std::min(cap, next.cap);
  }
};

/// The way out of a zone to one of its gateways, and the way in from there. The same for all of its
/// hosts, but for what Machine::path counts by itself: their uplinks and the backbones passed.
struct GatewayRoutes {
  RoutePart out;
  RoutePart in;
};

/// A zone that has become a part of the machine.
struct SettledZone {
  MemberSpec spec;
  std::vector<PointId>
      gateways;  ///< gateways that routes outside the zone use, the most used one first
  std::vector<GatewayRoutes> ends;  ///< [gateway] routes between the zone and each of `gateways`
};

}  // namespace espalier::topology::simgrid
