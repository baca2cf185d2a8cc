// espalier plan --counts: the choice at once, then every plan.
#include <fmt/format.h>

#include <optional>

#include "base/json.hpp"
#include "base/progress.hpp"
#include "base/units.hpp"
#include "bound/lower_bound.hpp"
#include "cli/as_library.hpp"
#include "cli/call_options.hpp"
#include "cli/irregular.hpp"
#include "cli/irregular_choice.hpp"
#include "cli/irregular_table.hpp"
#include "cli/plan_report.hpp"
#include "cli/request.hpp"
#include "cli/schedule_files.hpp"
#include "report/json_text.hpp"
#include "select/candidates.hpp"
#include "tree/irregular_algorithm.hpp"
#include "verify/verify.hpp"

namespace espalier::cli {
namespace {

using schedule::Operation;
using select::ExchangeChoice;
using select::IrregularChoice;

/// Verifies the plan if it has not too many messages for that. Returns what to print about
/// that; an error if the plan is refused.
Expected<std::string> settle(const schedule::Schedule& schedule) {
  if (!is_verified(schedule)) return not_verified(schedule.call.operation);
  const auto result = verify::verify(schedule);
  if (!result.ok()) {
    return Error{"plan", fmt::format("the verifier refuses it: {}", to_string(result)),
                 "this is a bug in espalier; please report it with the command line"};
  }
  return std::string("verified");
}

/// What no plan can beat, and how far the chosen one is from it.
std::string bound_text(const IrregularCall& asked, Time chosen) {
  const bound::LowerBound least = bound::lower_bound(asked.machine, asked.call);
  const double ratio =
      least.value > Time{} ? to_microseconds(chosen) / to_microseconds(least.value) : 1;
  return fmt::format("no plan is faster than {}: {}; the chosen one takes {:.3f} times as long\n",
                     rounded(least.value), describe(least.witness, asked.machine), ratio);
}

/// What the choice does not look at, though the table does.
std::string_view not_looked_at(Operation operation) {
  switch (operation) {
    case Operation::Allgather:
      return "a choice by the lengths simulates fewer plans, that of the first calls goes by the "
             "mean "
             "length";
    case Operation::Alltoall:
      return "no rank knows all lengths, and the library goes by none";
    default:
      return "a root chooses among a few trees, whole and at once, without a search";
  }
}

/// Whether the table has a faster plan, and why the library does not take it.
template <typename Choice>
std::string is_another_faster(const IrregularCall& asked, const std::vector<Choice>& choices,
                              const Choice& chosen) {
  const Choice& fastest = choices.front();
  if (!chosen.is_simulated || !fastest.is_simulated || fastest.predicted <= Time{}) return "";
  const double more =
      100 * (to_microseconds(chosen.predicted) / to_microseconds(fastest.predicted) - 1);
  if (more <= kDefect) return "";
  return fmt::format("simulated, {} is faster: the chosen one takes {:.1f} % longer ({})\n",
                     plan_name(fastest), more, not_looked_at(asked.call.operation));
}

std::vector<IrregularChoice> all_beside(const IrregularCall& asked,
                                        const select::Chooser& /*chooser*/,
                                        select::ScheduleTimes& times,
                                        const IrregularChoice& chosen) {
  constexpr std::size_t kOfPieces = 9;
  Progress progress(
      "simulating",
      2 * tree::irregular_algorithms().size() + kOfPieces + asked.conditions.trials + 2,
      Progress::Told::ByTheClock);
  progress.listen();
  return irregular_ranking(asked.machine, asked.call, asked.conditions, times, chosen);
}

std::vector<ExchangeChoice> all_beside(const IrregularCall& asked, const select::Chooser& chooser,
                                       select::ScheduleTimes& times, const ExchangeChoice& chosen) {
  Progress progress("simulating",
                    select::proposed_plans(chooser.hierarchy(), asked.call).size() + 1,
                    Progress::Told::ByTheClock);
  progress.listen();
  return exchange_ranking(chooser.hierarchy(), asked.call, times, chosen);
}

report::Table table_of_all(const IrregularCall& asked, const std::vector<IrregularChoice>& choices,
                           std::size_t shown, const RowMarks& marks) {
  return candidates_table(asked, choices, shown, marks);
}
report::Table table_of_all(const IrregularCall& /*asked*/,
                           const std::vector<ExchangeChoice>& choices, std::size_t shown,
                           const RowMarks& marks) {
  return candidates_table(choices, shown, marks);
}

/// The chosen plan, simulated unless that is too much work, and verified.
/// @param is_told the beginning of its line is written already
template <typename Choice>
Outcome settle_choice(const IrregularPlanOptions& options, const IrregularCall& asked,
                      select::ScheduleTimes& times, bool is_told, Choice& chosen,
                      std::string& verdict) {
  const schedule::Schedule schedule = schedule_of(chosen, asked.call);
  if (const auto finish = times.of(schedule)) {
    chosen.predicted = *finish;
    chosen.is_simulated = true;
  }
  auto settled = settle(schedule);
  if (!settled) {
    if (is_told) (void)write_output("-", "\n");
    return Failure{settled.error(), kExitInternal};
  }
  verdict = *std::move(settled);
  if (options.schedule.empty()) return {};
  return write_schedule(schedule, options.schedule_form, options.schedule);
}

/// The choice first, then the table.
/// @param chosen not simulated yet
/// @param runs_under what the library runs; asked for when the choice is told
template <typename Choice, typename Runs>
Outcome show_irregular(const IrregularPlanOptions& options, const IrregularCall& asked,
                       const report::Canvas& canvas, const select::Chooser& chooser, Choice chosen,
                       Runs runs_under) {
  // What is written comes before anything is printed: what cannot be written is told alone.
  // Behind --all simulations are long: their progress would be drawn over a line that is begun.
  const bool is_told = options.form == TableForm::Text && options.schedule.empty() && !options.all;
  const Time predicted = chosen.predicted;
  const std::string choice =
      fmt::format("{}: {}, {} predicted", asked.in_words(), plan_name(chosen), rounded(predicted));
  if (is_told) {
    if (auto failed = write_output("-", choice)) return failed;
  }
  select::ScheduleTimes times(asked.machine, asked.conditions.sim, asked.conditions.messages);
  std::string verdict;
  std::optional<Progress> progress;
  if (options.all) progress.emplace("simulating", 1, Progress::Told::ByTheClock);
  if (auto failed = settle_choice(options, asked, times, is_told, chosen, verdict)) return failed;
  progress.reset();
  if (options.schedule == "-") return {};
  const IrregularRuns runs = runs_under();
  if (options.form == TableForm::Text) {
    std::string line = is_told ? "" : choice;
    if (chosen.is_simulated) line += fmt::format(", {} simulated", rounded(chosen.predicted));
    line += fmt::format(", {}\n{}", verdict, runs_text(runs));
    if (auto failed = write_output("-", line)) return failed;
  }
  const std::vector<Choice> choices = all_beside(asked, chooser, times, chosen);
  const RowMarks marks{plan_name(chosen), runs.first_row};
  if (options.form == TableForm::Json) {
    Json document = irregular_document(asked);
    document["chosen"] = marks.chosen;
    add_runs(document, runs);
    document["predicted_ps"] = predicted.picoseconds;
    document["finish_ps"] = chosen.predicted.picoseconds;
    document["simulated"] = chosen.is_simulated;
    document["verdict"] = verdict;
    document["plans"] = report::to_json(table_of_all(asked, choices, kEveryRow, marks));
    return write_output("-", report::json_text(document));
  }
  constexpr std::size_t kUsuallyShown = 12;
  const report::Table table =
      table_of_all(asked, choices, options.all ? kEveryRow : kUsuallyShown, marks);
  const std::string below = asked.model_in_words() + how_simulated(asked, choices) +
                            is_another_faster(asked, choices, chosen) +
                            bound_text(asked, chosen.predicted);
  return write_output("-",
                      "\n" + report::to_text(table, canvas) + "\n" + report::fitted(below, canvas));
}

}  // namespace

Outcome plan_irregular(const IrregularPlanOptions& options, const report::Canvas& canvas) {
  auto rules = rules_under(options.mpi);
  if (!rules) return Failure{rules.error()};
  auto asked = understand(options, Levels::WithAChoice, nullptr, rules->mpi);
  if (!asked) return Failure{asked.error()};
  if (options.all) asked->conditions.messages = select::kAnyMessages;
  const collective::Hierarchy hierarchy(asked->machine);
  select::Chooser chooser(hierarchy, *rules);
  if (asked->exchanges()) {
    return show_irregular(options, *asked, canvas, chooser, chosen_exchange(*asked, chooser),
                          [&] { return runs_of(*asked, chooser, options.mpi); });
  }
  const select::CountedRuns counted = counted_runs(asked->machine, asked->call, asked->conditions);
  return show_irregular(options, *asked, canvas, chooser,
                        IrregularChoice{counted.plan, counted.predicted, false},
                        [&] { return runs_of(counted, *asked, chooser, options.mpi); });
}

}  // namespace espalier::cli
