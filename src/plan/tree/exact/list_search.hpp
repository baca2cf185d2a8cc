#pragma once

#include <cstdint>
#include <vector>

#include "tree/exact/budget.hpp"
#include "tree/exact/frontier.hpp"
#include "tree/exact/instance.hpp"
#include "tree/exact/potential.hpp"

namespace espalier::tree::exact {

enum class SearchAnswer {
  Found,    ///< a schedule meets the deadline
  None,     ///< no schedule meets the deadline
  Stopped,  ///< the budget ended before the answer was known
};

struct SearchResult {
  SearchAnswer answer = SearchAnswer::None;
  std::vector<std::uint32_t>
      order;         ///< Found: the classes, as they are served; the rest are leaves
  Ticks finish = 0;  ///< Found: when the last rank is served, <= the deadline
};

/// The answer that a complete frontier gives.
[[nodiscard]] SearchResult found_by(const Frontier& complete, Ticks deadline);

/// Is there a schedule that serves everybody by `deadline`? Depth first, the fastest first.
[[nodiscard]] SearchResult list_search(const Instance& instance, const Potential& potential,
                                       Ticks deadline, SearchBudget& budget);

/// list_search() that looks only at the `width` most promising schedules of each length: finds or
/// fails (Stopped), and never answers None.
[[nodiscard]] SearchResult beam_search(const Instance& instance, const Potential& potential,
                                       Ticks deadline, std::size_t width, SearchBudget& budget);

}  // namespace espalier::tree::exact
