#include "report/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.hpp"
#include "base/units.hpp"
#include "report/json_text.hpp"
#include "report/outline.hpp"

namespace espalier::report {
namespace {

using topology::Machine;

/// a / b, for people to read; 1 where both are nothing.
double ratio(Time a, Time b) {
  if (b == Time{}) return 1;
  return static_cast<double>(a.picoseconds) / static_cast<double>(b.picoseconds);
}

constexpr std::string_view kHowTimed =
    "Times are the model's: each message has its links to itself. espalier plan and espalier "
    "simulate share links among messages, so their times may be longer.";

std::string sentence(const Bound& bound) {
  return fmt::format("{}: {}{}", bound.is_optimum ? "optimum" : "no tree is faster than",
                     rounded(bound.value), bound.how.empty() ? "" : " (" + bound.how + ")");
}

}  // namespace

Contender contender(const TimedTree& timed, std::string_view title, const Machine& machine) {
  return {timed.algorithm,  std::string(title),  timed.finish,
          mean_done(timed), timed.tree.height(), messages_per_level(timed, machine)};
}

void rank_contenders(std::vector<Contender>& contenders) {
  std::stable_sort(contenders.begin(), contenders.end(),
                   [](const Contender& a, const Contender& b) { return a.finish < b.finish; });
}

Table comparison_table(const Comparison& comparison, const Machine& machine) {
  // In a reduction a rank is done once it has all from below: leaves at once. The mean
  // of that says little to people: JSON and CSV alone have it.
  const bool reduces = comparison.operation == schedule::Operation::Reduce;
  Table table{{{"algorithm", "algorithm"},
               {"title", ""},
               {"finish_ps", "finish", Align::Right},
               {"ratio", "x best", Align::Right},
               {"gap_percent", "over bound, %", Align::Right},
               {"mean_arrival_ps", reduces ? "" : "mean arrival", Align::Right},
               {"height", "height", Align::Right}},
              {}};
  if (!comparison.bound) table.columns.erase(table.columns.begin() + 4);
  for (std::uint32_t l = 0; l < machine.levels().size(); ++l) {
    table.columns.push_back(
        {fmt::format("messages_level_{}", l), channel_name(machine, l), Align::Right});
  }
  for (const Contender& c : comparison.contenders) {
    const Time best = comparison.contenders.front().finish;
    const Style style = c.finish == best ? Style::Good : Style::Plain;
    std::vector<Cell> row{{c.algorithm, style},
                          {c.title},
                          {c.finish, style},
                          {Decimal{ratio(c.finish, best), 3}, style}};
    if (comparison.bound) {
      row.push_back({Decimal{100 * (ratio(c.finish, comparison.bound->value) - 1), 2}});
    }
    row.push_back({c.mean});
    row.push_back({std::int64_t{c.height}});
    for (const std::uint64_t n : c.messages) row.push_back({static_cast<std::int64_t>(n)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string comparison_text(const Comparison& comparison, const Machine& machine,
                            const Canvas& canvas) {
  std::string text = fmt::format(
      "{} of {} {} rank {}: {} of {}, model {}\n\n", name_of(comparison.operation),
      to_string(comparison.size),
      comparison.operation == schedule::Operation::Reduce ? "to" : "from", comparison.root,
      grouped(comparison.members), counted(machine.size(), "process"), comparison.model);
  Table table = comparison_table(comparison, machine);
  // The mark is for people; files know the best by its ratio.
  const Time best = comparison.contenders.empty() ? Time{} : comparison.contenders.front().finish;
  table.columns.insert(table.columns.begin(), {"", " "});
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const bool wins = comparison.contenders[i].finish == best;
    table.rows[i].insert(table.rows[i].begin(), Cell(wins ? "*" : "", Style::Good));
  }
  text += to_text(table, canvas);
  text += "\n" + wrapped(kHowTimed, canvas.width);
  if (comparison.bound) text += sentence(*comparison.bound) + "\n";
  if (!comparison.left_out.empty()) text += "\n";
  for (const LeftOut& one : comparison.left_out) {
    text += wrapped(fmt::format("left out: {}: {}", one.algorithm, one.why), canvas.width);
  }
  return text;
}

std::string comparison_json(const Comparison& comparison, const Machine& machine) {
  Json levels = Json::array();
  for (std::uint32_t l = 0; l < machine.levels().size(); ++l) {
    levels.push_back(channel_name(machine, l));
  }
  Json document{{"format", "espalier-compare-1"},
                {"operation", name_of(comparison.operation)},
                {"machine", Json{{"name", machine.name()}, {"processes", machine.size()}}},
                {"levels", levels},
                {"model", comparison.model},
                {"links_shared", false},
                {"root", comparison.root},
                {"members", comparison.members},
                {"size_bytes", comparison.size.value},
                {"bound", nullptr}};
  if (comparison.bound) {
    document["bound"] = Json{{"value_ps", comparison.bound->value.picoseconds},
                             {"is_optimum", comparison.bound->is_optimum},
                             {"how", comparison.bound->how}};
  }
  document["algorithms"] = to_json(comparison_table(comparison, machine));
  Json left_out = Json::array();
  for (const LeftOut& one : comparison.left_out) {
    left_out.push_back(Json{{"algorithm", one.algorithm}, {"why", one.why}});
  }
  document["left_out"] = std::move(left_out);
  return json_text(document);
}

}  // namespace espalier::report
