#pragma once

#include <optional>

#include "discover/found.hpp"

namespace espalier::discover {

/// Where messages stop being sent at once and ask first, and what asking takes.
struct EagerLimit {
  Bytes limit{0};               ///< the largest size that was seen to go at once
  std::uint32_t crossings = 0;  ///< one-way latencies that a longer message takes more
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

}  // namespace espalier::discover
