#include "cli/candidate_forecasts.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/units.hpp"
#include "select/choose.hpp"

namespace espalier::cli {
namespace {

using league::PlanForecast;
using report::Align;
using report::Decimal;

void add_forecasts(std::vector<PlanForecast>& all, const league::PlacedMachine& placed,
                   const league::LeagueEvent& event) {
  const collective::Hierarchy hierarchy(placed.machine);
  const select::CostView cost_view(placed.machine);
  const schedule::Collective call{
      event.operation, placed.machine.size(), 0, event.bytes, Bytes{1}, true, {}};
  for (const select::Candidate& candidate : select::candidates(hierarchy, call)) {
    const Time predicted = select::predict(candidate.plan, cost_view, hierarchy, call);
    const Time simulated =
        select::simulated_time(candidate.plan, hierarchy, call, select::without_connections());
    all.push_back(
        {event, candidate.name, to_microseconds(predicted), to_microseconds(simulated), 0});
  }
}

}  // namespace

std::vector<PlanForecast> forecasts_of(const league::LeagueTask& task) {
  std::vector<PlanForecast> all;
  for (const league::PlacedMachine& placed : task.machines) {
    for (const league::LeagueEvent& event : events_of(task, placed)) {
      add_forecasts(all, placed, event);
    }
  }
  return all;
}

std::vector<league::Contender> contenders_of(std::span<const PlanForecast> forecasts) {
  std::vector<league::Contender> contenders;
  std::set<std::pair<schedule::Operation, std::string>> seen;
  for (const PlanForecast& forecast : forecasts) {
    if (!seen.emplace(forecast.event.operation, forecast.plan).second) continue;
    contenders.push_back(league::with_plan(forecast.event.operation, forecast.plan));
  }
  return contenders;
}

std::vector<PlanForecast> with_times(std::vector<PlanForecast> forecasts,
                                     std::span<const league::Result> results) {
  std::map<std::pair<league::LeagueEvent, std::string>, double> times;
  for (const league::Result& result : results) {
    // The runtime ran another plan if this one does not exist for the size.
    if (result.state != league::ResultState::Right || result.plan != result.contender) continue;
    times[{result.event, result.contender}] = result.microseconds;
  }
  std::vector<PlanForecast> measured;
  for (PlanForecast& forecast : forecasts) {
    const auto it = times.find({forecast.event, forecast.plan});
    if (it == times.end() || it->second <= 0) continue;
    forecast.smpi_us = it->second;
    measured.push_back(std::move(forecast));
  }
  return measured;
}

report::Table forecast_table(std::span<const PlanForecast> forecasts) {
  report::Table table;
  table.columns = {{"machine", "machine"},
                   {"placement", "placement"},
                   {"operation", "operation"},
                   {"bytes", "bytes", Align::Right},
                   {"plan", "plan"},
                   {"predicted_us", "predicted us", Align::Right},
                   {"replayed_us", "replayed us", Align::Right},
                   {"smpi_us", "smpi us", Align::Right}};
  for (const PlanForecast& f : forecasts) {
    table.rows.push_back({f.event.machine, f.event.placement,
                          std::string(name_of(f.event.operation)), std::to_string(f.event.bytes),
                          f.plan, Decimal{f.predicted_us, 1}, Decimal{f.simulated_us, 1},
                          Decimal{f.smpi_us, 1}});
  }
  return table;
}

report::Table agreement_table(std::span<const PlanForecast> forecasts) {
  report::Table table;
  table.columns = {{"by", "by"},
                   {"plans", "plans", Align::Right},
                   {"events", "events", Align::Right},
                   {"correlation", "rank correlation", Align::Right},
                   {"error", "median error %", Align::Right},
                   {"near", "chosen within 5 %", Align::Right}};
  const auto add = [&](const char* by, const league::ForecastAgreement& a) {
    table.rows.push_back({std::string(by), std::to_string(a.plans), std::to_string(a.events),
                          Decimal{a.correlation, 3}, Decimal{100 * a.median_error, 1},
                          std::to_string(a.near)});
  };
  add("prediction", agreement_of(forecasts, [](const PlanForecast& f) { return f.predicted_us; }));
  add("replay", agreement_of(forecasts, [](const PlanForecast& f) { return f.simulated_us; }));
  return table;
}

}  // namespace espalier::cli
