#include "league/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/json.hpp"
#include "base/units.hpp"
#include "topology/writers.hpp"

namespace espalier::league {
namespace {

using report::Align;
using Shown = report::Cell;
using report::Decimal;
using report::Style;

Shown size_cell(const LeagueEvent& event) {
  return event.operation == schedule::Operation::Barrier ? Shown()
                                                         : Shown(to_string(Bytes{event.bytes}));
}
Shown ratio_cell(const std::optional<double>& ratio, double limit) {
  if (!ratio) return {};
  return {Decimal{*ratio, 3}, *ratio <= limit ? Style::Good : Style::Bad};
}
Shown our_time(const EventResults& line) {
  if (!line.ours) return {};
  if (!line.is_right()) return {name_of(line.ours->state), Style::Bad};
  return Decimal{line.ours->microseconds, 1};
}
Shown best_time(const std::optional<BestTime>& best) {
  return best ? Shown(Decimal{best->microseconds, 1}) : Shown();
}
Shown best_name(const std::optional<BestTime>& best) {
  return best ? Shown(best->contender) : Shown();
}

std::vector<Shown> where(const LeagueEvent& event) {
  return {event.machine, event.placement, std::string(name_of(event.operation)), size_cell(event)};
}

std::vector<report::Column> where_columns() {
  return {{"machine", "machine"},
          {"placement", "placement"},
          {"operation", "operation"},
          {"size", "size", Align::Right}};
}

report::Table table_of(std::span<const EventResults> lines) {
  report::Table table;
  table.columns = where_columns();
  for (const report::Column& column :
       {report::Column{"bound_us", "bound us", Align::Right},
        report::Column{"espalier_us", "espalier us", Align::Right},
        report::Column{"to_bound", "x bound", Align::Right},
        report::Column{"selector_us", "selector us", Align::Right},
        report::Column{"selector", "best selector"},
        report::Column{"to_selector", "x selector", Align::Right},
        report::Column{"best_us", "best us", Align::Right}, report::Column{"best", "best of all"},
        report::Column{"to_best", "x best", Align::Right},
        report::Column{"plan", "our plan", Align::Left, 12}}) {
    table.columns.push_back(column);
  }
  for (const EventResults& line : lines) {
    std::vector<Shown> cells = where(line.event);
    cells.emplace_back(Decimal{line.bound_us, 1});
    cells.push_back(our_time(line));
    cells.push_back(line.to_bound() ? Shown(Decimal{*line.to_bound(), 2}) : Shown());
    cells.push_back(best_time(line.selector));
    cells.push_back(best_name(line.selector));
    cells.push_back(ratio_cell(line.to_selector(), 1 + kMargin));
    cells.push_back(best_time(line.any));
    cells.push_back(best_name(line.any));
    cells.push_back(ratio_cell(line.to_any(), 1 + kNear));
    cells.emplace_back(line.ours ? line.ours->plan : "");
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace

report::Table event_table(std::span<const EventResults> lines) { return table_of(lines); }

report::Table loss_table(std::span<const EventResults> lines) {
  std::vector<EventResults> losses;
  for (const EventResults& line : lines) {
    if (is_loss(line)) losses.push_back(line);
  }
  std::stable_sort(losses.begin(), losses.end(), [](const EventResults& a, const EventResults& b) {
    return a.to_selector().value_or(1e9) > b.to_selector().value_or(1e9);
  });
  return table_of(losses);
}

report::Table standing_table(std::span<const EventResults> lines) {
  report::Table table;
  table.columns = {{"machine", "machine"},
                   {"events", "events", Align::Right},
                   {"losses", "losses", Align::Right},
                   {"worst", "worst x selector", Align::Right},
                   {"selector", "best single selector"},
                   {"gain", "gain over it", Align::Right},
                   {"to_bound", "x bound", Align::Right},
                   {"near_best_percent", "near best of all, %", Align::Right}};
  std::vector<Standing> all = standings_of(lines);
  all.push_back(standing_of(lines, "all"));
  for (const Standing& s : all) {
    const auto percent = [&] {
      return 100.0 * static_cast<double>(s.near_any) / static_cast<double>(s.with_any);
    };
    table.rows.push_back(
        {s.machine, static_cast<std::int64_t>(s.events),
         Shown(static_cast<std::int64_t>(s.losses), s.losses == 0 ? Style::Good : Style::Bad),
         s.worst > 0 ? Shown(Decimal{s.worst, 2}) : Shown(),
         s.gains.empty() ? Shown() : Shown(s.gains.front().contender),
         s.gains.empty() ? Shown() : Shown(Decimal{s.gains.front().factor, 2}),
         s.to_bound > 0 ? Shown(Decimal{s.to_bound, 2}) : Shown(),
         s.with_any > 0 ? Shown(Decimal{percent(), 1}) : Shown()});
  }
  return table;
}

report::Table fault_table(std::span<const EventResults> lines) {
  std::map<std::tuple<std::string, std::string, std::string>, std::int64_t> faults;
  const auto add = [&](const Result& result) {
    if (result.state == ResultState::Right) return;
    ++faults[{result.contender, std::string(name_of(result.event.operation)),
              name_of(result.state)}];
  };
  for (const EventResults& line : lines) {
    if (line.ours) add(*line.ours);
    for (const Result& peer : line.peers) add(peer);
  }
  report::Table table;
  table.columns = {{"team", "left out"},
                   {"operation", "operation"},
                   {"state", "because"},
                   {"events", "events", Align::Right}};
  for (const auto& [fault, events] : faults) {
    table.rows.push_back({std::get<0>(fault), std::get<1>(fault), std::get<2>(fault), events});
  }
  return table;
}

report::Table criteria_table(std::span<const EventResults> lines) {
  report::Table table;
  table.columns = {{"wanted", "wanted"}, {"found", "found"}, {"holds", "holds"}};
  for (const Criterion& c : criteria_of(lines)) {
    table.rows.push_back(
        {c.what, c.found, Shown(c.holds ? "yes" : "no", c.holds ? Style::Good : Style::Bad)});
  }
  return table;
}

report::Table full_table(std::span<const EventResults> lines) {
  report::Table table;
  for (const char* key : {"machine", "placement", "operation", "bytes", "team", "bound_us",
                          "time_us", "state", "plan"}) {
    table.columns.push_back({key, key});
  }
  const auto add = [&](const EventResults& line, const Result& result) {
    const bool ended = result.state == ResultState::Right || result.state == ResultState::Wrong;
    table.rows.push_back(
        {result.event.machine, result.event.placement, std::string(name_of(result.event.operation)),
         static_cast<std::int64_t>(result.event.bytes), result.contender, Decimal{line.bound_us, 3},
         ended ? Shown(Decimal{result.microseconds, 3}) : Shown(),
         std::string(name_of(result.state)), result.plan});
  };
  for (const EventResults& line : lines) {
    if (line.ours) add(line, *line.ours);
    for (const Result& peer : line.peers) add(line, peer);
  }
  return table;
}

Json to_json(std::span<const EventResults> lines, const LeagueTask& task,
             const RunSettings& settings) {
  Json machines = Json::array();
  for (const PlacedMachine& placed : task.machines) {
    machines.push_back({{"machine", placed.name},
                        {"placement", placed.placement},
                        {"is", Json::parse(topology::write_json(placed.machine))}});
  }
  return {{"format", "espalier-bench-1"},
          {"on", "smpi"},
          {"roots", settings.roots},
          {"criteria", report::to_json(criteria_table(lines))},
          {"standings", report::to_json(standing_table(lines))},
          {"machines", machines},
          {"results", report::to_json(full_table(lines))}};
}

}  // namespace espalier::league
