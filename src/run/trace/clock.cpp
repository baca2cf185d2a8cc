#include "trace/clock.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <functional>

#include "base/contract.hpp"

namespace espalier::trace {
namespace {

Nanoseconds read_clock(clockid_t which) {
  timespec now{};
  clock_gettime(which, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

Nanoseconds monotonic_now() { return read_clock(CLOCK_MONOTONIC); }

KernelClock look_at_clock() {
  constexpr int kLooks = 32;
  KernelClock best{0, kNever};
  for (int i = 0; i < kLooks; ++i) {
    const Nanoseconds before = monotonic_now();
    const Nanoseconds day = read_clock(CLOCK_REALTIME);
    const Nanoseconds between = monotonic_now() - before;
    if (between < best.within) best = {day - before - between / 2, between};
  }
  return best;
}

bool is_same_clock(const KernelClock& a, const KernelClock& b) {
  constexpr Nanoseconds kMicrosecond = 1000;
  // Read in a hurry or not: on a busy machine a process may be held up between two readings.
  return std::abs(a.zero - b.zero) <= std::max(kMicrosecond, a.within + b.within);
}

Offset offset_from(std::span<const RoundTrip> trips) {
  expects(!trips.empty(), "offset_from: no round trip");
  const auto length = [](const RoundTrip& trip) { return trip.back - trip.left; };
  const RoundTrip& least = *std::min_element(
      trips.begin(), trips.end(),
      [&](const RoundTrip& a, const RoundTrip& b) { return length(a) < length(b); });
  const Nanoseconds half = length(least) / 2;
  return {least.there, least.there - (least.left + half), length(least) - half};
}

Nanoseconds ClockFit::ours(Nanoseconds theirs) const {
  if (end.at <= begin.at) return theirs - begin.value;
  const double share =
      static_cast<double>(theirs - begin.at) / static_cast<double>(end.at - begin.at);
  const double offset = share * static_cast<double>(end.value - begin.value);
  return theirs - begin.value - std::llround(offset);
}

Nanoseconds worst_between(std::vector<Nanoseconds> residuals) {
  std::sort(residuals.begin(), residuals.end(), std::greater<>());
  residuals.resize(2);
  return residuals[0] + residuals[1];
}

}  // namespace espalier::trace
