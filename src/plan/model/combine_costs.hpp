#pragma once

#include <vector>

#include "topology/machine.hpp"

namespace espalier::model {

/// How long each rank needs to combine an operand of `size` bytes with its own in a reduction.
[[nodiscard]] std::vector<Time> combine_costs(const topology::Machine& machine, Bytes size);

}  // namespace espalier::model
