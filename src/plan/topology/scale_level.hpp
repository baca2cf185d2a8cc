#pragma once

#include "topology/machine.hpp"

namespace espalier::topology {

/// Figures of one level as multiples of those before, in thousandths: integers, so that everybody
/// who is told them comes to the same machine.
struct LevelScale {
  std::uint32_t level = 0;
  std::uint32_t latency = 1000;
  std::uint32_t bandwidth = 1000;
  friend bool operator==(const LevelScale&, const LevelScale&) = default;
};

/// The same machine with the latencies of one level's channels and pairs, and what their members'
/// uplinks and they themselves carry, multiplied. Unlimited stays unlimited.
[[nodiscard]] Machine scale_level(Machine machine, const LevelScale& scale);

}  // namespace espalier::topology
