#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "league/result.hpp"

namespace espalier::league {

/// A plan for an event: the times that it was expected to take, and the time under SMPI.
struct PlanForecast {
  LeagueEvent event;
  std::string plan;
  double predicted_us = 0;  ///< time that the closed forms give
  double simulated_us = 0;  ///< time in our simulator, with links shared as SMPI shares them
  double smpi_us = 0;       ///< time under SMPI
};

/// How well expected times of many plans tell which one is best.
struct ForecastAgreement {
  std::size_t plans = 0;
  std::size_t events = 0;
  /// Spearman's rank correlation: the mean over events with at least three plans.
  double correlation = 0;
  double median_error = 0;  ///< median of |expected / smpi_us - 1| over all plans
  /// Number of events whose plan of least expected time takes at most kClose more than the best.
  std::size_t near = 0;
};
inline constexpr double kClose = 0.05;

/// @param forecasts all forecasts of an event stand side by side
/// @param expected which of the expected times is compared with that of SMPI
[[nodiscard]] ForecastAgreement agreement_of(
    std::span<const PlanForecast> forecasts,
    const std::function<double(const PlanForecast&)>& expected);

/// C. Spearman: "The proof and measurement of association between two things", 1904. Equal values
/// get their mean rank. The result is 1 if neither side has different values. @pre equal lengths
[[nodiscard]] double rank_correlation(std::span<const double> a, std::span<const double> b);

}  // namespace espalier::league
