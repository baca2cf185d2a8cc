#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/trace.hpp"

namespace espalier::trace {

/// CLOCK_MONOTONIC, which nobody sets.
[[nodiscard]] Nanoseconds monotonic_now();

/// When CLOCK_MONOTONIC of this kernel was 0, by the time of day: processes of one kernel agree on
/// it to less than a microsecond, in containers with other names and identifiers too, and two
/// computers were hardly started in the same microsecond.
struct KernelClock {
  Nanoseconds zero = 0;
  Nanoseconds within = 0;  ///< how exactly it was read
};
[[nodiscard]] KernelClock look_at_clock();
[[nodiscard]] bool is_same_clock(const KernelClock& a, const KernelClock& b);

/// A message to a process and back: when it left and came back here, and what the other's clock
/// said in between.
struct RoundTrip {
  Nanoseconds left = 0;
  Nanoseconds there = 0;
  Nanoseconds back = 0;
};

/// The other's clock less ours, at a time of the other's clock. The true value is within
/// `residual`, however unlike the two ways of the message were.
struct Offset {
  Nanoseconds at = 0;
  Nanoseconds value = 0;
  Nanoseconds residual = 0;
};
/// By the least round trip (F. Cristian, "Probabilistic clock synchronization", Distributed
/// Computing, 1989). @pre there is one
[[nodiscard]] Offset offset_from(std::span<const RoundTrip> trips);

/// Turns times of another clock into ours: offsets at the begin and at the end of a run, and a
/// straight line between them.
struct ClockFit {
  Offset begin, end;
  [[nodiscard]] Nanoseconds ours(Nanoseconds theirs) const;
  [[nodiscard]] Nanoseconds residual() const {
    return begin.residual > end.residual ? begin.residual : end.residual;
  }
};

/// How far off a time between two of several clocks may be, each of which is off from ours by at
/// most so much: the sum of the two largest.
[[nodiscard]] Nanoseconds worst_between(std::vector<Nanoseconds> residuals);

}  // namespace espalier::trace
