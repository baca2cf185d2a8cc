#pragma once

#include "select/plan.hpp"

namespace espalier::select {

/// A plan and the time that the closed forms give it, or a simulation (rank_by_simulation.hpp).
struct Choice {
  Plan plan;
  Time predicted;
  /// If a choice is made from root 0 and serves all roots: a plan that does not know the machine
  /// may fit it from there and not from elsewhere. How much longer it takes over several roots,
  /// beside a plan that does know it; `predicted` has that in it.
  double over_roots = 1;
  friend bool operator==(const Choice&, const Choice&) = default;
};

/// But for the length of their segments.
[[nodiscard]] bool are_alike(Plan a, Plan b);

}  // namespace espalier::select
