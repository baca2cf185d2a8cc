#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "league/run_league.hpp"
#include "league/standings.hpp"
#include "report/table.hpp"

namespace espalier::league {

/// One row for each event: bound, our time, the best selector, the best of all.
[[nodiscard]] report::Table event_table(std::span<const Line> lines);
/// One row for each machine, and one for all.
[[nodiscard]] report::Table standing_table(std::span<const Line> lines);
/// Where we are slower than the best selector by more than 3 %, the worst first.
[[nodiscard]] report::Table loss_table(std::span<const Line> lines);
/// Those with wrong data and those that fail, with how many events of which operations.
[[nodiscard]] report::Table fault_table(std::span<const Line> lines);
[[nodiscard]] report::Table criteria_table(std::span<const Line> lines);
/// One row for each event and contender, for programs.
[[nodiscard]] report::Table full_table(std::span<const Line> lines);

/// espalier-bench-1, on smpi.
[[nodiscard]] nlohmann::ordered_json to_json(std::span<const Line> lines, const LeagueTask& task,
                                             const Field& field);

}  // namespace espalier::league
