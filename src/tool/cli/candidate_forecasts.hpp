#pragma once

#include <span>
#include <vector>

#include "league/agreement.hpp"
#include "league/run_league.hpp"
#include "report/table.hpp"

namespace espalier::cli {

/// Every plan for every event from root 0, predicted and replayed; not played yet.
[[nodiscard]] std::vector<league::Forecast> forecasts_of(const league::Fixture& fixture);
/// One for each plan and operation.
[[nodiscard]] std::vector<league::Contender> contenders_of(std::span<const league::Forecast> forecasts);
/// Those that were played, with their times.
[[nodiscard]] std::vector<league::Forecast> with_times(std::vector<league::Forecast> forecasts,
                                                       std::span<const league::Cell> cells);

[[nodiscard]] report::Table forecast_table(std::span<const league::Forecast> forecasts);
/// How predictions and replays agree with SMPI.
[[nodiscard]] report::Table agreement_table(std::span<const league::Forecast> forecasts);

}  // namespace espalier::cli
