#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/fair_shares.hpp"
#include "sim/network.hpp"

namespace espalier::sim {

/// The weight of a flow whose share is in proportion to 1 / latency of its path: 16 for the
/// farthest, so latencies that are nearly that are told apart, and those 4,096 times shorter are
/// not.
[[nodiscard]] inline std::uint32_t latency_weight(const Route& route, Time longest) {
  constexpr std::int64_t kFarthest = 16;
  const std::int64_t latency = std::max<std::int64_t>(1, route.latency.picoseconds);
  const std::int64_t weight = (kFarthest * longest.picoseconds + latency / 2) / latency;
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(weight, 1, std::int64_t{FairShares::kMostWeight}));
}

}  // namespace espalier::sim
