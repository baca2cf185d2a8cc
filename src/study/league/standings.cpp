#include "league/standings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "bound/lower_bound.hpp"
#include "measure/measured.hpp"

namespace espalier::league {
namespace {

constexpr double kWantedGain = 1.5;
constexpr double kWantedNear = 0.90;

std::optional<double> over(const std::optional<Result>& ours, const std::optional<BestTime>& best) {
  if (!ours || ours->state != ResultState::Right || !best) return std::nullopt;
  return ours->microseconds / best->microseconds;
}

void take_better(std::optional<BestTime>& best, const Result& result) {
  if (!best || result.microseconds < best->microseconds)
    best = {result.contender, result.microseconds};
}

/// The mean of logarithms, so that twice as fast here and twice as slow there is even.
class GeometricMean {
 public:
  void add(double factor) {
    sum_ += std::log(factor);
    ++count_;
  }
  [[nodiscard]] double value() const {
    return count_ == 0 ? 0 : std::exp(sum_ / static_cast<double>(count_));
  }
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  double sum_ = 0;
  std::size_t count_ = 0;
};

std::vector<SelectorGain> gains_of(std::span<const EventResults> lines) {
  std::map<std::string, GeometricMean> means;
  for (const EventResults& line : lines) {
    if (!line.is_right()) continue;
    for (const Result& peer : line.peers) {
      const bool is_single = peer.contender.find(':') != std::string::npos;
      if (is_single || peer.state != ResultState::Right) continue;
      means[peer.contender].add(peer.microseconds / line.ours->microseconds);
    }
  }
  std::vector<SelectorGain> gains;
  for (const auto& [contender, mean] : means)
    gains.push_back({contender, mean.value(), mean.count()});
  std::stable_sort(gains.begin(), gains.end(), [](const SelectorGain& a, const SelectorGain& b) {
    return a.factor < b.factor;
  });
  return gains;
}

}  // namespace

std::optional<double> EventResults::to_selector() const { return over(ours, selector); }
std::optional<double> EventResults::to_any() const { return over(ours, any); }
std::optional<double> EventResults::to_bound() const {
  if (!is_right() || bound_us <= 0) return std::nullopt;
  return ours->microseconds / bound_us;
}

std::vector<EventResults> results_by_event(
    std::span<const Result> results, std::span<const Contender> contenders,
    const std::function<double(const LeagueEvent&)>& bound_of) {
  std::vector<EventResults> lines;
  for (const Result& result : results) {
    if (lines.empty() || lines.back().event != result.event) {
      lines.push_back({result.event, bound_of(result.event), {}, {}, {}, {}});
    }
    EventResults& line = lines.back();
    const auto contender =
        std::find_if(contenders.begin(), contenders.end(),
                     [&](const Contender& t) { return t.name == result.contender; });
    if (contender == contenders.end()) continue;
    if (contender->kind == ContenderKind::Ours) {
      line.ours = result;
      continue;
    }
    line.peers.push_back(result);
    if (result.state != ResultState::Right) continue;
    if (contender->kind == ContenderKind::Selector) take_better(line.selector, result);
    take_better(line.any, result);
  }
  return lines;
}

bool is_undecided(const EventResults& line) {
  return line.ours && line.ours->state == ResultState::TooLong && !line.selector;
}

bool is_loss(const EventResults& line) {
  if (is_undecided(line)) return false;
  if (!line.is_right()) return line.ours.has_value();
  return line.to_selector().value_or(0) > 1 + kMargin;
}

Standing standing_of(std::span<const EventResults> lines, std::string name) {
  Standing standing;
  standing.machine = std::move(name);
  GeometricMean to_bound;
  for (const EventResults& line : lines) {
    if (is_undecided(line)) continue;
    ++standing.events;
    if (is_loss(line)) ++standing.losses;
    if (const auto ratio = line.to_selector(); ratio && *ratio > standing.worst) {
      standing.worst = *ratio;
      standing.worst_event = line.event;
    }
    if (const auto ratio = line.to_bound()) to_bound.add(*ratio);
    const bool has_singles = std::any_of(line.peers.begin(), line.peers.end(), [](const Result& c) {
      return c.contender.find(':') != std::string::npos;
    });
    if (has_singles && line.to_any()) {
      ++standing.with_any;
      if (*line.to_any() <= 1 + kNear) ++standing.near_any;
    }
  }
  standing.to_bound = to_bound.value();
  standing.gains = gains_of(lines);
  return standing;
}

std::vector<Standing> standings_of(std::span<const EventResults> lines) {
  std::vector<Standing> standings;
  for (std::size_t first = 0; first < lines.size();) {
    const std::string& machine = lines[first].event.machine;
    std::size_t last = first;
    while (last < lines.size() && lines[last].event.machine == machine) ++last;
    standings.push_back(standing_of(lines.subspan(first, last - first), machine));
    first = last;
  }
  return standings;
}

std::vector<Criterion> criteria_of(std::span<const EventResults> lines) {
  const Standing all = standing_of(lines, "all");
  std::vector<Criterion> criteria;
  criteria.push_back(
      {"no event slower than the best selector by more than 3 %",
       fmt::format("{} of {} are, the worst {:.2f} times", all.losses, all.events, all.worst),
       all.losses == 0});
  const double gain = all.gains.empty() ? 0 : all.gains.front().factor;
  criteria.push_back({"geometric mean at least 1.5 times the best single selector",
                      all.gains.empty()
                          ? "no selector took part"
                          : fmt::format("{:.2f} times {}", gain, all.gains.front().contender),
                      gain >= kWantedGain});
  if (all.with_any > 0) {
    const double share = static_cast<double>(all.near_any) / static_cast<double>(all.with_any);
    criteria.push_back({"within 10 % of the best single algorithm in 90 % of the events",
                        fmt::format("in {:.1f} % of {}", 100 * share, all.with_any),
                        share >= kWantedNear});
  }
  return criteria;
}

double bound_us(const topology::Machine& machine, const LeagueEvent& event, int roots) {
  std::set<Rank> taken{0};
  for (int k = 0; has_root(event.operation) && k < roots; ++k) {
    taken.insert(static_cast<Rank>(std::uint64_t{machine.size()} * static_cast<unsigned>(k) /
                                   static_cast<unsigned>(roots)));
  }
  double sum = 0;
  for (const Rank root : taken) {
    const schedule::Collective call{event.operation, machine.size(), root, event.bytes / 8,
                                    Bytes{8},        true,           {}};
    sum += to_microseconds(bound::lower_bound(machine, call).value);
  }
  return sum / static_cast<double>(taken.size());
}

}  // namespace espalier::league
