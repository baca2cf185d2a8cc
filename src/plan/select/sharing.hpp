#pragma once

#include <span>
#include <vector>

#include "select/cost_view.hpp"

namespace espalier::select {

/// One of several messages that share a resource: when its first byte could flow, what it weighs,
/// and when it is through.
struct Sharer {
  Picos start = 0;
  double bytes = 0;
  Picos end = 0;
};

/// Fills in the ends: at every moment all that flow have equal parts of the resource.
///
/// Processor sharing: with V(t) growing by 1 / (number of flows) a flow that began at V0 ends at
/// V0 + its work. O(n log n).
void share_equally(std::span<Sharer> sharers, Picos per_byte);

}  // namespace espalier::select
