#pragma once

#include <span>
#include <string>

#include "base/json.hpp"
#include "league/run_league.hpp"
#include "league/standings.hpp"
#include "report/table.hpp"

namespace espalier::league {

/// One row for each event: bound, our time, the best selector, the best of all.
[[nodiscard]] report::Table event_table(std::span<const EventResults> lines);
/// One row for each machine, and one for all.
[[nodiscard]] report::Table standing_table(std::span<const EventResults> lines);
/// Events in which we are slower than the best selector by more than 3 %, worst first.
[[nodiscard]] report::Table loss_table(std::span<const EventResults> lines);
/// Contenders with wrong data or failures: in how many events of which operation.
[[nodiscard]] report::Table fault_table(std::span<const EventResults> lines);
/// What the league has to show, and whether it does.
[[nodiscard]] report::Table criteria_table(std::span<const EventResults> lines);
/// One row for each event and contender, for programs.
[[nodiscard]] report::Table full_table(std::span<const EventResults> lines);

/// The document espalier-bench-1 of `espalier bench --on smpi`.
[[nodiscard]] Json to_json(std::span<const EventResults> lines, const LeagueTask& task,
                           const RunSettings& settings);

/// The league as one HTML file that loads nothing else: the criteria, the standing of each machine,
/// our losses, and for each machine, operation and size the winner, our time over the best
/// selector's, and our time over the bound.
[[nodiscard]] std::string page(std::span<const EventResults> lines);

}  // namespace espalier::league
