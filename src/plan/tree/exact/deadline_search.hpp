#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tree/exact/budget.hpp"
#include "tree/exact/instance.hpp"

namespace espalier::tree::exact {

/// Between which deadlines the optimum lies.
struct DeadlineRange {
  Ticks lower = 0;  ///< no schedule finishes earlier
  Ticks upper = 0;  ///< finish of the best schedule known
  /// The classes of that schedule, see SearchResult; nothing if it was known before.
  std::optional<std::vector<std::uint32_t>> order{};
  std::uint32_t decisions = 0;
};

/// Narrows what is known down until lower == upper or the budget ends.
[[nodiscard]] DeadlineRange search_deadlines(const Instance& instance, Ticks lower, Ticks upper,
                                             SearchBudget& budget);

/// search_deadlines() without looking for schedules: improves the lower bound only, in well under a
/// second for any number of ranks.
[[nodiscard]] DeadlineRange raise_lower_bound(const Instance& instance, Ticks lower, Ticks upper);

}  // namespace espalier::tree::exact
