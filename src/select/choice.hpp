#pragma once

#include "select/plan.hpp"

namespace espalier::select {

/// A plan and the time that the closed forms give it, or a simulation (replay.hpp).
struct Choice {
  Plan plan;
  Time predicted;
  friend bool operator==(const Choice&, const Choice&) = default;
};

/// But for the length of their segments.
[[nodiscard]] bool are_alike(Plan a, Plan b);

}  // namespace espalier::select
