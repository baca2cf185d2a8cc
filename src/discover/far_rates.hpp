#pragma once

#include <span>
#include <vector>

#include "discover/probe_rounds.hpp"

namespace espalier::discover {

/// From this latency on rates come from floods: a single message would take longer to open TCP's
/// window than to pass.
inline constexpr Time kFarFrom = milliseconds(1);

/// Pairs of nodes that cross the same far link, one way. @pre pairs is not empty
struct FarTransfer {
  std::vector<NodePair> pairs;
  Time round_trip;
  bool alone = true;  ///< the first pair is measured alone, too
};

struct FarRate {
  Bandwidth alone;     ///< of the first pair
  Bandwidth together;  ///< of all pairs at once; of a single one, the same
};

/// The rates of transfers, those of a round at the same time: first all pairs of each (where there
/// are several), then the first pair, whose window is open by then.
Expected<std::vector<std::vector<FarRate>>> measure_far(
    Prober& prober, std::span<const std::vector<FarTransfer>> rounds);

}  // namespace espalier::discover
