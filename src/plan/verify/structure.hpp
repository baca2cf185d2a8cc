#pragma once

#include <cstdint>

#include "schedule/schedule.hpp"
#include "verify/verdict.hpp"

namespace espalier::verify {

/// Looks at every op by itself: ids, dependencies, peers and lengths that can be; slices within
/// their buffers; no write to In, no message to self, a reduction only where the operation has one.
///
/// Never spells a region out (that comes later, and only if there are at most `max_slices` of
/// them), so that a hostile file costs no more than its own length. After this the arithmetic of
/// regions cannot overflow.
void check_structure(const schedule::Schedule& schedule, std::uint64_t max_slices,
                     Findings& findings);

}  // namespace espalier::verify
