#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "league/cell.hpp"
#include "league/contenders.hpp"

namespace espalier::league {

/// The best of several contenders with right data.
struct Best {
  std::string contender;
  double microseconds = 0;
};

/// All results of one event.
struct Line {
  Event event;
  double bound_us = 0;  ///< what no plan can beat; 0 where it is not known
  std::optional<Cell> ours;
  std::optional<Best> selector;
  std::optional<Best> any;  ///< of selectors and single algorithms
  std::vector<Cell> peers;  ///< all, also those left out for wrong data or failing

  [[nodiscard]] bool is_right() const { return ours && ours->state == State::Right; }
  /// How many times as long as the best selector we take; nothing without two right results.
  [[nodiscard]] std::optional<double> to_selector() const;
  [[nodiscard]] std::optional<double> to_any() const;
  [[nodiscard]] std::optional<double> to_bound() const;
};

/// Cells in the order of run_league(); one line for each event.
/// @param bound_of in microseconds
[[nodiscard]] std::vector<Line> lines_of(std::span<const Cell> cells,
                                         std::span<const Contender> contenders,
                                         const std::function<double(const Event&)>& bound_of);

/// Our mean gain over one selector: geometric, over the events in which both are right.
struct Gain {
  std::string contender;
  double factor = 0;
  std::size_t events = 0;
};

/// One machine, all placements, operations and sizes.
struct Standing {
  std::string machine;
  std::size_t events = 0;
  std::size_t losses = 0;  ///< slower than the best selector by more than kMargin, or not right
  double worst = 0;        ///< our time over the best selector's
  Event worst_event;
  /// Over each selector, smallest first: the first is the best single one.
  std::vector<Gain> gains;
  double to_bound = 0;       ///< geometric mean
  std::size_t with_any = 0;  ///< events that single algorithms took part in
  std::size_t near_any = 0;  ///< of those, at most kNear slower than the best of all
};
inline constexpr double kMargin = 0.03;
inline constexpr double kNear = 0.10;

/// Of each machine in the order of the lines.
[[nodiscard]] std::vector<Standing> standings_of(std::span<const Line> lines);
/// Of all together, under the name "all".
[[nodiscard]] Standing standing_of(std::span<const Line> lines, std::string name);
[[nodiscard]] bool is_loss(const Line& line);
/// Whether simulating it took longer than allowed for us and for every selector that did not fail:
/// nothing is known of such an event, so it is not counted.
[[nodiscard]] bool is_undecided(const Line& line);

/// Something the league has to show, and whether it does.
struct Criterion {
  std::string what;
  std::string found;
  bool holds = false;
};
[[nodiscard]] std::vector<Criterion> criteria_of(std::span<const Line> lines);

}  // namespace espalier::league
