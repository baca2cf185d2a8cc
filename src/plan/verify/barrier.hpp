#pragma once

#include <vector>

#include "schedule/schedule.hpp"
#include "verify/matching.hpp"
#include "verify/progress.hpp"
#include "verify/verdict.hpp"

namespace espalier::verify {

/// No rank may leave a barrier before all have entered: what each rank's ops wait for must lead
/// back, over its own dependencies and over messages from their receives to their sends, to the
/// beginning of every rank. A send is taken to end at once, since a buffer may take it.
///
/// O((ops + dependencies + messages) * P / 64), and P bits of memory for each op.
/// @pre `order` is synchronous_order's
void check_barrier(const schedule::Schedule& schedule, const Traffic& traffic,
                   const std::vector<Event>& order, Findings& findings);

}  // namespace espalier::verify
