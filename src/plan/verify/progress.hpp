#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/schedule.hpp"
#include "verify/matching.hpp"
#include "verify/verdict.hpp"

namespace espalier::verify {

/// An op begins when all it waits for has ended. A copy or reduction then ends by itself; a send or
/// receive ends when all its messages are over.
struct Event {
  OpId op = 0;
  bool end = false;
};

/// An order in which everything can happen when sends are synchronous: a message is over only after
/// both its ops have begun. If there is none, the ops of one cycle of waits are reported.
///
/// Who waits for what is fixed (matching.hpp), and more buffering only takes waits away; so if
/// there is such an order, no run of the plan can get stuck under any buffering, as long as every
/// op that may begin does begin. O(ops + dependencies + messages).
[[nodiscard]] std::optional<std::vector<Event>> synchronous_order(
    const schedule::Schedule& schedule, const Traffic& traffic, Findings& findings);

}  // namespace espalier::verify
