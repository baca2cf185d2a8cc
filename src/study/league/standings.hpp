#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "league/contenders.hpp"
#include "league/result.hpp"
#include "topology/machine.hpp"

namespace espalier::league {

/// The fastest of several contenders whose data were right.
struct BestTime {
  std::string contender;
  double microseconds = 0;
};

/// All results of one event: a line of the tables.
struct EventResults {
  LeagueEvent event;
  double bound_us = 0;  ///< lower bound of any plan's time; 0 if it is not known
  std::optional<Result> ours;
  std::optional<BestTime> selector;  ///< best of the selectors
  std::optional<BestTime> any;       ///< best of selectors and single algorithms
  std::vector<Result> peers;         ///< all results but ours, wrong and failed ones too

  [[nodiscard]] bool is_right() const { return ours && ours->state == ResultState::Right; }
  /// Our time over the best selector's; absent unless both results are right.
  [[nodiscard]] std::optional<double> to_selector() const;
  /// Our time over that of the best selector or single algorithm.
  [[nodiscard]] std::optional<double> to_any() const;
  /// Our time over the lower bound.
  [[nodiscard]] std::optional<double> to_bound() const;
};

/// Sums up each event. @pre `results` are in the order of run_league()
/// @param bound_of the lower bound of an event in microseconds
[[nodiscard]] std::vector<EventResults> results_by_event(
    std::span<const Result> results, std::span<const Contender> contenders,
    const std::function<double(const LeagueEvent&)>& bound_of);

/// Our gain over one selector: the geometric mean over the events in which both are right.
struct SelectorGain {
  std::string contender;
  double factor = 0;  ///< its time over ours
  std::size_t events = 0;
};

/// Sums up one machine over all placements, operations and sizes.
struct Standing {
  std::string machine;
  std::size_t events = 0;
  std::size_t losses = 0;   ///< slower than the best selector by more than kMargin, or not right
  double worst = 0;         ///< largest ratio of our time to the best selector's
  LeagueEvent worst_event;  ///< event of that ratio
  /// Our gain over each selector, smallest first: the first is over the best single selector.
  std::vector<SelectorGain> gains;
  double to_bound = 0;       ///< geometric mean of our time over the bound
  std::size_t with_any = 0;  ///< number of events with single algorithms
  /// Number of those events in which we are at most kNear slower than the best of all.
  std::size_t near_any = 0;
};
inline constexpr double kMargin = 0.03;
inline constexpr double kNear = 0.10;

/// The standing of each machine, in the order of the lines.
[[nodiscard]] std::vector<Standing> standings_of(std::span<const EventResults> lines);
/// The standing of all lines together, as that of a machine `name`.
[[nodiscard]] Standing standing_of(std::span<const EventResults> lines, std::string name);
/// Whether we are slower than the best selector by more than kMargin, or not right.
[[nodiscard]] bool is_loss(const EventResults& line);
/// Whether the event says nothing: our simulation took longer than allowed, and no selector has a
/// right result. Such events are not counted.
[[nodiscard]] bool is_undecided(const EventResults& line);

/// Something the league has to show, and whether it does.
struct Criterion {
  std::string what;
  std::string found;
  bool holds = false;
};
[[nodiscard]] std::vector<Criterion> criteria_of(std::span<const EventResults> lines);

/// Lower bound of the time of any plan, in microseconds: the mean over `roots` evenly spread roots,
/// as measured times are.
[[nodiscard]] double bound_us(const topology::Machine& machine, const LeagueEvent& event,
                              int roots);

}  // namespace espalier::league
