#pragma once

#include "league/result.hpp"
#include "topology/machine.hpp"

namespace espalier::league {

/// Lower bound of the time of any plan, in microseconds: the mean over `roots` evenly spread roots,
/// as measured times are.
[[nodiscard]] double bound_us(const topology::Machine& machine, const Event& event, int roots);

}  // namespace espalier::league
