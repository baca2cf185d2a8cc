#pragma once

#include <cstdint>
#include <vector>

#include "tree/exact/budget.hpp"
#include "tree/exact/frontier.hpp"
#include "tree/exact/instance.hpp"
#include "tree/exact/potential.hpp"

namespace espalier::tree::exact {

enum class Answer {
  Found,    ///< a schedule by that deadline
  None,     ///< there is none
  Stopped,  ///< the budget ended before either was known
};

struct Decision {
  Answer answer = Answer::None;
  std::vector<std::uint32_t>
      order;         ///< Found: the classes, as they are served; the rest are leaves
  Ticks finish = 0;  ///< Found: when the last is served, <= the deadline
};

/// The answer that a complete frontier gives.
[[nodiscard]] Decision found_by(const Frontier& complete, Ticks deadline);

/// Is there a schedule that serves everybody by `deadline`? Depth first, the fastest first.
[[nodiscard]] Decision list_search(const Instance& instance, const Potential& potential,
                                   Ticks deadline, Budget& budget);

/// The same question, looking only at the `width` most promising schedules of each length: finds or
/// fails (Stopped), and never answers None.
[[nodiscard]] Decision beam_search(const Instance& instance, const Potential& potential,
                                   Ticks deadline, std::size_t width, Budget& budget);

}  // namespace espalier::tree::exact
