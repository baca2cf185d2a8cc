#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "schedule/collective.hpp"

namespace espalier::bound {

/// What must cross the border of a set of ranks, in elements, whatever the plan.
struct Crossing {
  std::uint64_t out = 0;
  std::uint64_t in = 0;
};

/// @param inside for each rank, whether it is in the set; neither all nor none are
[[nodiscard]] Crossing crossing(const schedule::Collective& call, const std::vector<bool>& inside);

/// Whether what `from` holds changes what `to` ends with (or lets it go, for a barrier).
[[nodiscard]] bool depends(const schedule::Collective& call, Rank from, Rank to);

}  // namespace espalier::bound
