#include "discover/arrivals.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace espalier::discover {
namespace {

constexpr std::size_t kBurst = 8;
constexpr Time kClockOff = milliseconds(500);

Bandwidth rate_of(std::size_t count, Bytes each, Time time) {
  const double bits = 8.0 * static_cast<double>(count) * static_cast<double>(each.value);
  return Bandwidth{static_cast<std::uint64_t>(
      bits / (static_cast<double>(std::max<std::int64_t>(1'000, time.picoseconds)) / 1e12))};
}

/// How long each run of `count` messages takes, after the message before it.
std::vector<Time> runs_of(std::span<const Time> arrivals, std::size_t count) {
  expects(arrivals.size() > count, "arrivals: too few messages");
  std::vector<Time> runs;
  for (std::size_t i = count; i < arrivals.size(); ++i) {
    runs.push_back(arrivals[i] - arrivals[i - count]);
  }
  return runs;
}

}  // namespace

Bandwidth fastest(std::span<const Time> arrivals, std::size_t count, Bytes each) {
  const std::vector<Time> runs = runs_of(arrivals, count);
  return rate_of(count, each, *std::min_element(runs.begin(), runs.end()));
}

Bandwidth burst_pace(std::span<const Time> arrivals, Bytes each, std::size_t tenths) {
  std::vector<Time> runs = runs_of(arrivals, kBurst);
  std::sort(runs.begin(), runs.end());
  return rate_of(kBurst, each, runs[runs.size() * tenths / 10]);
}

std::vector<Time> merged(std::span<const std::vector<Time>> flows, Time delay) {
  std::vector<Time> all;
  Time begin = flows.front().front();
  for (const std::vector<Time>& flow : flows) {
    const Time off = flow.front() - begin;
    const bool is_set = off < kClockOff && off > Time{-kClockOff.picoseconds};
    for (const Time t : flow) all.push_back(is_set ? t : t - off);
    begin += delay;
  }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace espalier::discover
