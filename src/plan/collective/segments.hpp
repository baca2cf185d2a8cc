#pragma once

#include <cstdint>
#include <vector>

#include "schedule/collective.hpp"

namespace espalier::collective {

/// Messages of up to kShortOfSegments bytes also try segments of kShortSegment bytes and twice
/// that.
inline constexpr std::uint64_t kShortOfSegments = 16384;
inline constexpr std::uint64_t kShortSegment = 512;

/// Segment sizes to try, in units: whole messages, and powers of four from 4 KiB to 1 MiB; for
/// short messages from 512 B. None but whole messages where the operation does not move a vector.
[[nodiscard]] std::vector<std::uint64_t> segments_for(const schedule::Collective& call);

}  // namespace espalier::collective
