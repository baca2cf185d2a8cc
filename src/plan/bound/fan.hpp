#pragma once

#include "bound/lower_bound.hpp"

namespace espalier::bound {

/// How soon one rank can reach `others`, if every message keeps its sender busy for at least `send`
/// (the one itself: `own`), is under way for at least `latency`, and its receiver is busy for at
/// least `recv` before it can pass anything on.
///
/// A. Bar-Noy, S. Kipnis: "Designing broadcasting algorithms in the postal model for
/// message-passing systems", Mathematical Systems Theory 27, 1994; there all costs are equal.
/// Proof: make every cost of a plan as small as the least; it gets no slower. Now all ranks are
/// alike but for the one, so who has been reached only matters by number and time, and everybody
/// sending at every moment he can reaches the most. The k-th least of these arrivals is when the
/// k-th rank can have been reached at best. O(others log others).
[[nodiscard]] Time fan_time(Rank others, Time own, Time send, Time latency, Time recv);

/// The best of these bounds over all ranks of the call: by those that depend on a rank, and, with
/// time running backwards and recv for send, by those a rank depends on.
[[nodiscard]] LowerBound fan_bound(const topology::Machine& machine,
                                   const schedule::Collective& call);

}  // namespace espalier::bound
