#include "cli/irregular_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/json.hpp"
#include "base/units.hpp"
#include "report/json_text.hpp"
#include "report/text.hpp"
#include "tree/irregular.hpp"
#include "tree/tree_time.hpp"

namespace espalier::cli {
namespace {

using report::Align;
using report::Cell;
using report::Decimal;
using select::ExchangeChoice;
using select::IrregularChoice;

/// Messages over each level of the machine.
std::vector<std::uint64_t> crossings(const IrregularCall& asked, const tree::CommTree& tree) {
  std::vector<std::uint64_t> found(asked.machine.levels().size(), 0);
  const std::vector<Bytes> below = subtree_bytes(tree, asked.bytes());
  for (const Rank r : tree.preorder()) {
    if (r == tree.root() || below[r].value == 0) continue;
    ++found[asked.machine.path(tree.parent(r), r).level];
  }
  return found;
}

template <typename Choices>
std::size_t not_simulated_of(const Choices& choices) {
  return static_cast<std::size_t>(std::count_if(
      choices.begin(), choices.end(), [](const auto& choice) { return !choice.is_simulated; }));
}

/// Columns of times: a simulated one, and a predicted one if there are plans without it.
template <typename Choices>
std::vector<report::Column> time_columns(const Choices& choices) {
  std::vector<report::Column> columns{{"plan", "plan"},
                                      {"finish_ps", "simulated", Align::Right},
                                      {"ratio", "x best", Align::Right}};
  if (not_simulated_of(choices) > 0) columns.push_back({"predicted_ps", "predicted", Align::Right});
  return columns;
}

/// Their cells in the row of a choice.
template <typename Choices, typename Choice>
std::vector<Cell> time_cells(const std::string& name, const Choice& choice,
                             const Choices& choices) {
  const bool has_others = not_simulated_of(choices) > 0;
  if (!choice.is_simulated) return {name, Cell(), Cell(), choice.predicted};
  // The first may be a simpler plan that takes a little longer.
  Time least = kForever;
  for (const Choice& one : choices) {
    if (one.is_simulated) least = std::min(least, one.predicted);
  }
  const double best = to_microseconds(least);
  const double ratio = best > 0 ? to_microseconds(choice.predicted) / best : 1;
  std::vector<Cell> cells{name, choice.predicted, Decimal{ratio, 3}};
  if (has_others) cells.emplace_back();
  return cells;
}

/// "<- chosen", or nothing.
std::string mark_of(const std::string& plan, const RowMarks& marks) {
  std::string mark;
  if (plan == marks.chosen) mark = "<- chosen";
  if (plan == marks.first) mark += mark.empty() ? "<- first calls" : ", first calls too";
  return mark;
}

/// Rows of choices, each with the cells behind its times, and its mark.
template <typename Choices, typename More>
void add_rows(report::Table& table, const Choices& choices, std::size_t shown,
              const RowMarks& marks, More more) {
  table.columns.push_back({"", " "});
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const auto& choice = choices[i];
    const std::string mark = mark_of(plan_name(choice), marks);
    if (i >= shown && mark.empty()) continue;
    std::vector<Cell> cells = time_cells(plan_name(choice), choice, choices);
    more(choice, cells);
    const auto style = mark.empty() ? report::Style::Plain : report::Style::Good;
    cells.emplace_back(mark, style);
    table.rows.push_back(std::move(cells));
  }
}

constexpr std::string_view kSharedBySmpi =
    "simulated: message by message, links shared as under SimGrid (near messages get more)\n";
constexpr std::string_view kSharedRoughly =
    "simulated: message by message, each link serves its messages one after the other\n";

std::string links_in_words(const sim::SimOptions& options) {
  if (options.sharing != sim::Sharing::ExactMaxMin) return std::string(kSharedRoughly);
  if (options.shares_by_latency) return std::string(kSharedBySmpi);
  return fmt::format(
      "simulated: message by message, links shared max-min fairly; from {} on a message waits for "
      "its receiver\n",
      to_string(options.eager_limit));
}

}  // namespace

report::Table candidates_table(const IrregularCall& asked,
                               const std::vector<IrregularChoice>& choices, std::size_t shown,
                               const RowMarks& marks) {
  report::Table table;
  table.columns = time_columns(choices);
  table.columns.push_back({"height", "height", Align::Right});
  table.columns.push_back({"held_bytes", "", Align::Right});
  table.columns.push_back({"", "held", Align::Right});
  for (std::size_t l = 0; l < asked.machine.levels().size(); ++l) {
    table.columns.push_back(
        {fmt::format("messages_level_{}", l), asked.machine.levels()[l].channel, Align::Right});
  }
  const std::vector<Bytes> bytes = asked.bytes();
  add_rows(table, choices, shown, marks,
           [&](const IrregularChoice& choice, std::vector<Cell>& cells) {
             const Bytes held = largest_bundle(choice.plan.tree, bytes);
             cells.push_back(count_cell(choice.plan.tree.height()));
             cells.push_back(count_cell(held.value));
             cells.emplace_back(to_string(held));
             for (const std::uint64_t n : crossings(asked, choice.plan.tree)) {
               cells.push_back(count_cell(n));
             }
           });
  return table;
}

report::Table candidates_table(const std::vector<ExchangeChoice>& choices, std::size_t shown,
                               const RowMarks& marks) {
  report::Table table;
  table.columns = time_columns(choices);
  table.columns.push_back({"by_counts", "goes by", Align::Left});
  add_rows(table, choices, shown, marks,
           [](const ExchangeChoice& choice, std::vector<Cell>& cells) {
             cells.emplace_back(std::string(choice.by_counts ? "lengths" : "ranks"));
           });
  return table;
}

Json irregular_document(const IrregularCall& asked) {
  return {{"format", "espalier-irregular-1"},
          {"operation", name_of(asked.call.operation)},
          {"root", asked.call.root},
          {"counts", asked.call.counts},
          {"machine", asked.machine.name()},
          {"model", asked.model->name()},
          {"memory_bytes", asked.conditions.bundle_limit.value}};
}

Outcome write_table(const IrregularCall& asked, const report::Table& table, TableForm form,
                    const std::string& above, const report::Canvas& canvas,
                    const std::string& below) {
  if (form == TableForm::Csv) return write_output("-", report::to_csv(table));
  if (form == TableForm::Text) {
    return write_output("-", report::fitted(above, canvas) + report::to_text(table, canvas) +
                                 report::fitted(below, canvas));
  }
  Json document = irregular_document(asked);
  document["plans"] = report::to_json(table);
  return write_output("-", report::json_text(document));
}

std::string how_simulated(const IrregularCall& asked, std::size_t plans,
                          std::size_t not_simulated) {
  std::string text = links_in_words(asked.conditions.sim);
  if (not_simulated == 0) return text;
  text += fmt::format(
      "not simulated: {} of {} plans, since about {} messages are simulated in all (espalier plan "
      "--all simulates every plan)\npredicted: {}\n",
      not_simulated, plans, report::grouped(asked.conditions.messages),
      asked.exchanges() ? "in closed form, for blocks of the mean length"
                        : "by the cost model of trees, one message after the other");
  return text;
}

}  // namespace espalier::cli
