// A flow's rate over a far link, from the pace of the answers.
//
// On a new connection TCP begins with about ten packets a round trip and doubles that until the
// link is full (V. Jacobson: "Congestion avoidance and control", SIGCOMM 1988): the time of one
// message of any length tells how far that went, not what the link carries. The pace of many
// messages does, once it no longer grows.
#include "discover/flood.hpp"

#include <algorithm>

namespace espalier::discover {
namespace {

constexpr std::size_t kFirst = 16;  ///< under way before anything was answered
constexpr std::size_t kLeast = 8;   ///< messages that tell a pace
constexpr std::int64_t kGrowthPercent = 15;

Bandwidth rate_of(Bytes each, std::size_t messages, Time time) {
  const double bits = 8.0 * static_cast<double>(each.value) * static_cast<double>(messages);
  const double taken = std::max(1e-12, to_seconds(time));
  return Bandwidth{static_cast<std::uint64_t>(bits / taken)};
}

/// How many answers before the one at `last` are compared with as many before them: those of a
/// round trip, the first answer's time.
std::size_t span_before(std::span<const Time> answers, std::size_t last) {
  const Time since = answers[last] - answers.front();
  const auto first =
      std::upper_bound(answers.begin(), answers.begin() + static_cast<std::ptrdiff_t>(last), since);
  const auto recent =
      static_cast<std::size_t>(answers.begin() + static_cast<std::ptrdiff_t>(last) - first);
  return std::max(kLeast, recent);
}

/// Where the steady part that ends at `last` begins; nothing if the pace still grows there.
std::optional<std::size_t> steady_from(std::span<const Time> answers, std::size_t last) {
  const std::size_t span = span_before(answers, last);
  if (last < 2 * span) return std::nullopt;
  const Time now = answers[last] - answers[last - span];
  const Time before = answers[last - span] - answers[last - 2 * span];
  if (100 * before.picoseconds > (100 + kGrowthPercent) * now.picoseconds) return std::nullopt;
  return last - span;
}

}  // namespace

bool FloodControl::is_ending(Time now) const {
  return steady_ || sent_ >= e_.messages || now > e_.patience;
}

bool FloodControl::may_send(Time now) const {
  if (is_ending(now)) return false;
  const std::uint64_t recent = answers_.size() - recent_;
  return sent_ - answers_.size() < std::max<std::uint64_t>(kFirst, 2 * recent);
}

bool FloodControl::is_over(Time now) const { return sent_ == answers_.size() && is_ending(now); }

void FloodControl::answered(Time now) {
  answers_.push_back(now);
  while (answers_[recent_] + answers_.front() < now) ++recent_;
  if (e_.until_steady && !steady_) {
    steady_ = steady_from(answers_, answers_.size() - 1).has_value();
  }
}

FloodRate rate_alone(const Experiment& experiment, std::span<const Time> answers) {
  expects(!answers.empty(), "rate_alone: nothing was answered");
  const std::size_t last = answers.size() - 1;
  for (std::size_t i = 2 * kLeast; i <= last; ++i) {
    if (const auto from = steady_from(answers, i)) {
      return {rate_of(experiment.bytes, last - *from, answers[last] - answers[*from]), false};
    }
  }
  const std::size_t from = last / 2;
  if (from == last) return {rate_of(experiment.bytes, 1, answers[last]), true};
  return {rate_of(experiment.bytes, last - from, answers[last] - answers[from]), true};
}

FloodRate rate_among_others(const Experiment& experiment, std::span<const Time> answers) {
  expects(!answers.empty(), "rate_among_others: nothing was answered");
  const Time round_trip = answers.front();
  const auto until = [&](Time time) {
    return static_cast<std::size_t>(std::upper_bound(answers.begin(), answers.end(), time) -
                                    answers.begin());
  };
  const Time window = std::min(2 * round_trip, Time{experiment.patience.picoseconds / 2});
  const std::size_t end = until(experiment.patience);
  const std::size_t begin = until(experiment.patience - window);
  const std::size_t half = until(experiment.patience - Time{window.picoseconds / 2});
  // One more or less is the grain.
  const bool grows = 100 * (end - half) > (100 + kGrowthPercent) * (half - begin + 1);
  return {rate_of(experiment.bytes, end - begin, window), grows};
}

}  // namespace espalier::discover
