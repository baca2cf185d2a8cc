#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "league/cell.hpp"

namespace espalier::league {

/// A plan for an event, what it was expected to take, and what it took under SMPI.
struct Forecast {
  Event event;
  std::string plan;
  double predicted_us = 0;  ///< by closed forms
  double replayed_us = 0;   ///< by events, as SMPI's network shares its links
  double simulated_us = 0;  ///< by SMPI
};

/// How well expected times of many plans tell which one is best.
struct Agreement {
  std::size_t plans = 0;
  std::size_t events = 0;
  double correlation = 0;   ///< of ranks (Spearman), the mean over events with three plans and more
  double median_error = 0;  ///< |expected / simulated - 1|
  std::size_t near = 0;  ///< events whose plan of least expected time is within kClose of the best
};
inline constexpr double kClose = 0.05;

/// @param forecasts those of an event one after the other
/// @param expected what is compared with the simulated time
[[nodiscard]] Agreement agreement_of(std::span<const Forecast> forecasts,
                                     const std::function<double(const Forecast&)>& expected);

/// C. Spearman: "The proof and measurement of association between two things", 1904. Ties have
/// their mean rank. 1 where nothing differs. @pre as many of both
[[nodiscard]] double rank_correlation(std::span<const double> a, std::span<const double> b);

}  // namespace espalier::league
