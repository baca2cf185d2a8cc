#pragma once

#include "league/cell.hpp"
#include "topology/machine.hpp"

namespace espalier::league {

/// What no plan can beat, in microseconds: a mean over the same roots as the times.
[[nodiscard]] double bound_us(const topology::Machine& machine, const Event& event, int roots);

}  // namespace espalier::league
