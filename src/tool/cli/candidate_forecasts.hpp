#pragma once

#include <span>
#include <vector>

#include "league/agreement.hpp"
#include "league/run_league.hpp"
#include "report/table.hpp"

namespace espalier::cli {

/// Every plan for every event from root 0, with its predicted and its simulated time; the time
/// under SMPI is not known yet.
[[nodiscard]] std::vector<league::PlanForecast> forecasts_of(const league::LeagueTask& task);
/// One contender for each plan and operation.
[[nodiscard]] std::vector<league::Contender> contenders_of(
    std::span<const league::PlanForecast> forecasts);
/// The forecasts whose plan ran under SMPI, with the time that it took.
[[nodiscard]] std::vector<league::PlanForecast> with_times(
    std::vector<league::PlanForecast> forecasts, std::span<const league::Result> results);

[[nodiscard]] report::Table forecast_table(std::span<const league::PlanForecast> forecasts);
/// How well predicted and simulated times agree with those of SMPI.
[[nodiscard]] report::Table agreement_table(std::span<const league::PlanForecast> forecasts);

}  // namespace espalier::cli
