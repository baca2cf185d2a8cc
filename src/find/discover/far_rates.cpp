#include <algorithm>

#include "base/contract.hpp"
#include "discover/rates.hpp"

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

namespace {

/// Below any eager limit; longer ones for links that carry these in no time.
struct TrainSize {
  Bytes bytes;
  std::uint32_t messages = 0;  ///< length of a train; half as many again for a flow by itself
};
constexpr TrainSize kShort{{8 << 10}, 64};
constexpr TrainSize kLong{{64 << 10}, 128};
/// Eight short messages in less than a millisecond and a half: a moment's delay would show.
constexpr Bandwidth kFastForShort{400'000'000};
constexpr int kMostRepeats = 5;

/// One transfer while it is being measured.
struct State {
  MemberTransfer* transfer = nullptr;
  bool knows_alone = false;
  Time delay;  ///< pause between the starts of two flows
  TrainSize size = kShort;
  bool by_itself = false;  ///< only the first flow of the transfer sends
  Bandwidth pace = kUnlimited;
  Bandwidth sum{0};  ///< pace of all flows together in the fastest quarter of their messages
  /// The pace that is taken for the sum of all flows. From the first train on it is not 0.
  Bandwidth steady{0};
  bool open = true;  ///< must be measured again

  [[nodiscard]] std::size_t flows() const { return by_itself ? 1 : transfer->flows.size(); }
};

/// Whether all messages came at the end of the time that the train took.
bool came_at_once(const Measured& m, Time latency) {
  const Time spread = m.arrivals.back() - m.arrivals.front();
  const Time took = m.samples.back() - 2 * latency;
  return took > 4 * spread;
}

Round round_of(std::span<const State> states) {
  Round round;
  for (const State& s : states) {
    if (!s.open) continue;
    for (std::size_t i = 0; i < s.flows(); ++i) {
      const std::uint32_t messages =
          s.flows() == 1 ? s.size.messages + s.size.messages / 2 : s.size.messages;
      round.push_back({.kind = Kind::Train,
                       .from = s.transfer->flows[i].first,
                       .to = s.transfer->flows[i].second,
                       .bytes = s.size.bytes,
                       .messages = messages,
                       .repeats = 1,
                       .delay = static_cast<std::int64_t>(i) * s.delay});
    }
  }
  return round;
}

/// Takes in what one more train shows.
void look(State& s, std::span<const Measured> measured) {
  std::vector<std::vector<Time>> flows;
  for (const Measured& m : measured) flows.push_back(m.arrivals);
  const std::vector<Time> all = merged(flows, s.delay);
  const Bandwidth sum = fastest(all, all.size() / 4, s.size.bytes);
  const Bandwidth pace = burst_pace(flows.front(), s.size.bytes);
  const bool is_new_size = s.size.bytes == kShort.bytes && bits(pace) > bits(kFastForShort);
  if (is_new_size) {
    s.size = kLong;
    s.pace = kUnlimited;
    s.sum = Bandwidth{0};
    s.steady = std::max(s.steady, sum);  // stands if there is no time for longer messages
    return;
  }
  const bool improved = bits(sum) > 1.2 * bits(s.sum);
  s.pace = std::min(s.pace, pace);
  if (sum > s.sum) {
    s.sum = sum;
    // The longer the time, the better it tells, if the windows were open for so long.
    const Bandwidth half = fastest(all, all.size() / 2, s.size.bytes);
    s.steady = bits(half) > 0.9 * bits(sum) ? half : sum;
    // One burst may come too fast; a third of what a flow by itself sends is in the middle of some.
    if (flows.size() == 1) {
      s.steady = std::min(s.steady, burst_pace(flows.front(), s.size.bytes, 3));
    }
  }
  if (bits(s.sum) < 0.8 * bits(s.pace)) {
    s.open = improved;  // windows open still, or never will
  } else if (s.flows() > 1 && bits(s.sum) > 1.3 * bits(s.pace)) {
    s.transfer->together = s.steady;  // a cap, or bursts that met: one flow tells
    if (s.knows_alone) {
      s.open = false;
      return;
    }
    s.by_itself = true;
    s.pace = kUnlimited;
    s.sum = Bandwidth{0};
  } else {
    s.open = false;
  }
}

/// What was seen last, where the trains are over.
void conclude(State& s) {
  Bandwidth& alone = s.transfer->seen.rate;
  s.transfer->cut_short = s.open;
  if (s.by_itself) {
    alone = s.steady;
    return;
  }
  s.transfer->together = s.steady;
  if (s.knows_alone) return;
  // Windows that were still opening when time was over are no cap of a flow.
  const bool held_back = !s.open && bits(s.sum) < 0.8 * bits(s.pace);
  alone = held_back ? Bandwidth{s.steady.bits_per_second / s.transfer->flows.size()} : s.steady;
}

}  // namespace

Expected<bool> measure_far(Prober& prober, TransferRounds& rounds, Time until) {
  std::vector<std::vector<State>> states(rounds.size());
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    for (MemberTransfer& t : rounds[r]) {
      states[r].push_back({&t, !t.seen.rate.unlimited(), t.cluster->latency});
    }
  }
  Time longest;  // the longest turn so far: another one must fit into the time that is left
  for (int turn = 0; turn < kMostRepeats; ++turn) {
    const Time begin = prober.spent();
    if (turn > 0 && begin + longest > until) break;
    std::vector<Round> trains;
    for (const auto& round : states) trains.push_back(round_of(round));
    if (std::all_of(trains.begin(), trains.end(), [](const Round& r) { return r.empty(); })) break;
    auto measured = prober.run(trains);
    if (!measured) return measured.error();
    for (std::size_t r = 0; r < states.size(); ++r) {
      std::span<const Measured> left = (*measured)[r];
      for (State& s : states[r]) {
        if (!s.open) continue;
        const std::size_t flows = s.flows();
        if (came_at_once(left.front(), s.delay)) return false;
        look(s, left.first(flows));
        left = left.subspan(flows);
      }
    }
    longest = std::max(longest, prober.spent() - begin);
  }
  for (auto& round : states) {
    for (State& s : round) conclude(s);
  }
  return true;
}

}  // namespace espalier::discover
