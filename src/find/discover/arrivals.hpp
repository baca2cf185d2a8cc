#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"

namespace espalier::discover {

/// The fastest `count` messages in a row among arrivals of messages of so many bytes.
/// @pre sorted, more than `count` of them
[[nodiscard]] Bandwidth fastest(std::span<const Time> arrivals, std::size_t count, Bytes each);

/// The pace of messages within bursts: of all runs of 8 messages so many tenths are faster.
/// @pre sorted, more than 8
[[nodiscard]] Bandwidth burst_pace(std::span<const Time> arrivals, Bytes each,
                                   std::size_t tenths = 1);

/// Flows on one clock, sorted; flow i began its train `delay` after flow i - 1. Nodes that are
/// paired alike stand at one site, where clocks are set by one another; a clock that is off by more
/// than half a second is not, and such a flow is taken to begin when it should.
[[nodiscard]] std::vector<Time> merged(std::span<const std::vector<Time>> flows, Time delay);

}  // namespace espalier::discover
