#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace espalier::tree::exact {

/// Times of the exact search: multiples of the greatest common divisor of all costs, so that costs
/// such as 100, 200, ... 800 us become 1, 2, ... 8.
using Ticks = std::int64_t;

/// Ranks that send equally fast are one: which of them is served first makes no difference.
struct SpeedClass {
  Ticks cost;
  Rank count;
};

/// One broadcast as the exact search sees it. No names of ranks; see order_of_ranks().
struct Instance {
  Time tick;
  Ticks root_cost;
  std::vector<SpeedClass>
      classes;  ///< speed classes of all ranks but the root; fastest first, no cost twice
  Rank others;  ///< number of ranks without the root
};

/// @pre every cost > 0; `others` sorted, fastest first; `deadline` is reached by a known schedule
///
/// Who costs more than `deadline - root_cost` could not send in a better one, so they count as one
/// class, whatever they cost.
[[nodiscard]] Instance instance_of(Time root_cost, std::span<const Time> others, Time deadline);

/// The same broadcast, or one that is easier: at most `max_classes`, each as fast as its fastest
/// member. A lower bound of it is a lower bound of `instance`.
[[nodiscard]] Instance coarsened(const Instance& instance, std::size_t max_classes);

}  // namespace espalier::tree::exact
