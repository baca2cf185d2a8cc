#include "cli/irregular.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/nearest.hpp"
#include "base/units.hpp"
#include "bound/lower_bound.hpp"
#include "cli/call_options.hpp"
#include "cli/irregular_call.hpp"
#include "cli/output.hpp"
#include "cli/schedule_files.hpp"
#include "model/cost_model.hpp"
#include "report/json_text.hpp"
#include "report/table.hpp"
#include "select/irregular_exchange.hpp"
#include "tree/irregular.hpp"
#include "tree/irregular_algorithm.hpp"
#include "tree/tree_time.hpp"
#include "verify/verify.hpp"

namespace espalier::cli {
namespace {

using report::Align;
using report::Cell;
using report::Decimal;
using select::ExchangeChoice;
using select::IrregularChoice;
using select::IrregularPlan;

Cell count(std::uint64_t value) { return static_cast<std::int64_t>(value); }

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

report::Table candidates_table(const IrregularCall& asked,
                               const std::vector<IrregularChoice>& choices, std::size_t shown) {
  report::Table table;
  table.columns = {{"plan", "plan"},
                   {"finish_ps", "simulated", Align::Right},
                   {"ratio", "x best", Align::Right},
                   {"height", "height", Align::Right},
                   {"held_bytes", "", Align::Right},
                   {"", "held", Align::Right}};
  for (std::size_t l = 0; l < asked.machine.levels().size(); ++l) {
    table.columns.push_back(
        {fmt::format("messages_level_{}", l), asked.machine.levels()[l].channel, Align::Right});
  }
  const std::vector<Bytes> bytes = asked.bytes();
  const double best = to_microseconds(choices.front().predicted);
  for (std::size_t i = 0; i < std::min(shown, choices.size()); ++i) {
    const IrregularChoice& choice = choices[i];
    const Bytes held = largest_bundle(choice.plan.tree, bytes);
    const double ratio = best > 0 ? to_microseconds(choice.predicted) / best : 1;
    std::vector<Cell> cells{name_of(choice.plan), choice.predicted,
                            Decimal{ratio, 3},    count(choice.plan.tree.height()),
                            count(held.value),    to_string(held)};
    for (const std::uint64_t n : crossings(asked, choice.plan.tree)) cells.push_back(count(n));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Outcome write_table(const IrregularCall& asked, const report::Table& table, TableForm form,
                    const std::string& above, const report::Canvas& canvas,
                    const std::string& below = "") {
  if (form == TableForm::Csv) return write_output("-", report::to_csv(table));
  if (form == TableForm::Text) {
    return write_output("-", above + report::to_text(table, canvas) + below);
  }
  nlohmann::ordered_json document;
  document["format"] = "espalier-irregular-1";
  document["operation"] = std::string(name_of(asked.call.operation));
  document["root"] = asked.call.root;
  document["counts"] = asked.call.counts;
  document["machine"] = asked.machine.name();
  document["model"] = asked.model->name();
  document["memory_bytes"] = asked.conditions.bundle_limit.value;
  document["plans"] = report::to_json(table);
  return write_output("-", report::json_text(document));
}

/// The candidates of allgatherv or alltoallv.
report::Table candidates_table(const std::vector<ExchangeChoice>& choices, std::size_t shown) {
  report::Table table;
  table.columns = {{"plan", "plan"},
                   {"finish_ps", "simulated", Align::Right},
                   {"ratio", "x best", Align::Right},
                   {"by_counts", "goes by", Align::Left}};
  const double best = to_microseconds(choices.front().predicted);
  for (std::size_t i = 0; i < std::min(shown, choices.size()); ++i) {
    const ExchangeChoice& choice = choices[i];
    const double ratio = best > 0 ? to_microseconds(choice.predicted) / best : 1;
    table.rows.push_back({choice.name, choice.predicted, Decimal{ratio, 3},
                          std::string(choice.by_counts ? "lengths" : "ranks")});
  }
  return table;
}

/// Verifies the plan if it has not too many messages for that. Returns what to print about
/// that; an error if the plan is refused.
Expected<std::string> settle(const schedule::Schedule& schedule) {
  std::string verdict = not_verified(schedule.call.operation);
  if (is_verified(schedule)) {
    const auto result = verify::verify(schedule);
    if (!result.ok()) {
      return Error{"plan", fmt::format("the verifier refuses it: {}", to_string(result)),
                   "this is a bug in espalier; please report it with the command line"};
    }
    verdict = "verified";
  }
  return verdict;
}

constexpr std::size_t kShown = 12;

const IrregularPlan& plan_of(const IrregularChoice& choice) { return choice.plan; }
const ExchangeChoice& plan_of(const ExchangeChoice& choice) { return choice; }
std::string plan_name(const IrregularChoice& choice) { return name_of(choice.plan); }
std::string plan_name(const ExchangeChoice& choice) { return choice.name; }

/// What no plan can beat, and how far the chosen one is from it.
std::string bound_text(const IrregularCall& asked, Time chosen) {
  const bound::LowerBound least = bound::lower_bound(asked.machine, asked.call);
  const double ratio =
      least.value > Time{} ? to_microseconds(chosen) / to_microseconds(least.value) : 1;
  return fmt::format("no plan is faster than {}: {}; the chosen one takes {:.3f} times as long\n",
                     rounded(least.value), describe(least.witness, asked.machine), ratio);
}

constexpr std::string_view kSharedBySmpi =
    "simulated: message by message, links shared as under SimGrid (near messages get more)\n";

/// The schedule of the fastest plan, or of the one that is named.
template <typename Choices>
Expected<schedule::Schedule> schedule_named(const Choices& choices, const std::string& name,
                                            const schedule::Collective& call) {
  std::vector<std::string> known;
  for (const auto& choice : choices) {
    if (name.empty() || plan_name(choice) == name) return schedule_of(plan_of(choice), call);
    known.push_back(plan_name(choice));
  }
  return Error{
      "--algorithm", fmt::format("there is no plan \"{:.60}\" for these lengths", name),
      fmt::format("{}the plans are: {}", did_you_mean(name, known), fmt::join(known, ", "))};
}

/// The heading and all of what a plan's table needs; of either kind of choice.
template <typename Choices, typename Table>
Outcome show_plan(const IrregularPlanOptions& options, const IrregularCall& asked,
                  const Choices& choices, const report::Canvas& canvas, Table table) {
  const auto& chosen = choices.front();
  const schedule::Schedule schedule = schedule_of(plan_of(chosen), asked.call);
  const auto verdict = settle(schedule);
  if (!verdict) return Failure{verdict.error(), kExitInternal};
  if (!options.schedule.empty()) {
    if (auto failed = write_schedule(schedule, options.schedule_form, options.schedule)) {
      return failed;
    }
    if (options.schedule == "-") return {};
  }
  const bool all = options.all || options.form != TableForm::Text;
  const std::string above = fmt::format("{}: {}, {} simulated, {}\n\n", asked.in_words(),
                                        plan_name(chosen), rounded(chosen.predicted), *verdict);
  const std::string below = options.form == TableForm::Text
                                ? "\n" + asked.model_in_words() + std::string(kSharedBySmpi) +
                                      bound_text(asked, chosen.predicted)
                                : "";
  return write_table(asked, table(all ? choices.size() : kShown), options.form, above, canvas,
                     below);
}

}  // namespace

Outcome plan_irregular(const IrregularPlanOptions& options, const report::Canvas& canvas) {
  const auto asked = understand(options);
  if (!asked) return Failure{asked.error()};
  if (asked->exchanges()) {
    const collective::Hierarchy hierarchy(asked->machine);
    const auto choices = select::exchange_ranking(hierarchy, asked->call, asked->conditions.sim);
    return show_plan(options, *asked, choices, canvas,
                     [&](std::size_t shown) { return candidates_table(choices, shown); });
  }
  const auto choices = irregular_ranking(asked->machine, asked->call, asked->conditions);
  return show_plan(options, *asked, choices, canvas,
                   [&](std::size_t shown) { return candidates_table(*asked, choices, shown); });
}

Expected<schedule::Schedule> irregular_schedule(const IrregularCallOptions& options,
                                                const topology::Machine& machine,
                                                const std::string& name) {
  const auto asked = understand(options, &machine);
  if (!asked) return asked.error();
  if (!asked->exchanges()) {
    return schedule_named(irregular_ranking(asked->machine, asked->call, asked->conditions), name,
                          asked->call);
  }
  const collective::Hierarchy hierarchy(asked->machine);
  return schedule_named(select::exchange_ranking(hierarchy, asked->call, asked->conditions.sim),
                        name, asked->call);
}

Outcome compare_irregular(const IrregularCallOptions& options, TableForm form,
                          const report::Canvas& canvas) {
  const auto asked = understand(options);
  if (!asked) return Failure{asked.error()};
  if (asked->exchanges()) {
    const collective::Hierarchy hierarchy(asked->machine);
    const auto choices = select::exchange_ranking(hierarchy, asked->call, asked->conditions.sim);
    return write_table(*asked, candidates_table(choices, choices.size()), form,
                       asked->in_words() + "\n\n", canvas, "\n" + std::string(kSharedBySmpi));
  }
  auto choices = irregular_ranking(asked->machine, asked->call, asked->conditions);
  // Of each tree its better way of sending.
  std::vector<IrregularChoice> best;
  for (IrregularChoice& choice : choices) {
    const bool is_there = std::any_of(best.begin(), best.end(), [&](const IrregularChoice& b) {
      return b.plan.algorithm == choice.plan.algorithm;
    });
    if (!is_there) best.push_back(std::move(choice));
  }
  return write_table(*asked, candidates_table(*asked, best, best.size()), form,
                     asked->in_words() + "\n\n", canvas,
                     "\n" + asked->model_in_words() + std::string(kSharedBySmpi));
}

Outcome draw_irregular(const IrregularCallOptions& options, const std::string& algorithm,
                       TableForm form, const report::Canvas& canvas) {
  const tree::IrregularAlgorithm* builder = tree::find_irregular_algorithm(algorithm);
  if (builder == nullptr) {
    std::vector<std::string> known;
    for (const auto& a : tree::irregular_algorithms()) known.emplace_back(a.name);
    const std::string near = nearest(algorithm, known);
    return Failure{{"--algorithm",
                    fmt::format("there is no algorithm \"{}\" for lengths", algorithm),
                    fmt::format("{}they are: {}",
                                near.empty() ? "" : fmt::format("did you mean \"{}\"? ", near),
                                fmt::join(known, ", "))}};
  }
  const auto asked = understand(options);
  if (!asked) return Failure{asked.error()};
  if (asked->exchanges()) {
    return Failure{{"--operation", "trees by lengths are those of scatterv and gatherv",
                    "espalier plan shows the plans of allgatherv and alltoallv"}};
  }
  if (asked->call.size > builder->quick_up_to) {
    return Failure{{"--algorithm",
                    fmt::format("{} is for up to {} ranks", algorithm, builder->quick_up_to),
                    "take a smaller machine"}};
  }
  const IrregularPlan plan =
      irregular_plan(algorithm, asked->machine, asked->call, asked->conditions);
  const std::vector<Bytes> bytes = asked->bytes();
  const std::vector<Bytes> below = subtree_bytes(plan.tree, bytes);
  const model::CostModel& model = *asked->model;
  const bool scatters = asked->call.operation == schedule::Operation::Scatter;
  const std::vector<Time> done =
      scatters ? scatter_times(plan.tree, model, bytes) : gather_times(plan.tree, model, bytes);
  report::Table table;
  table.columns = {{"", "tree", Align::Left},
                   {"rank", "", Align::Right},
                   {"parent", "", Align::Right},
                   {"own_bytes", "", Align::Right},
                   {"", "own", Align::Right},
                   {"bundle_bytes", "", Align::Right},
                   {"", "with all below", Align::Right},
                   {"done_ps", "done", Align::Right}};
  std::vector<std::size_t> depth(asked->call.size, 0);
  for (const Rank r : plan.tree.preorder()) {
    const bool is_root = r == plan.tree.root();
    if (!is_root) depth[r] = depth[plan.tree.parent(r)] + 1;
    table.rows.push_back({std::string(2 * depth[r], ' ') + std::to_string(r), count(r),
                          is_root ? Cell() : count(plan.tree.parent(r)), count(bytes[r].value),
                          to_string(bytes[r]), count(below[r].value), to_string(below[r]),
                          done[r]});
  }
  const std::string above =
      fmt::format("{}: {} ({})\n\n", asked->in_words(), builder->title, builder->source);
  const std::string about_model =
      asked->has_own_model ? "\n" + asked->model_in_words() + "times are the model's\n" : "";
  return write_table(*asked, table, form, above, canvas, about_model);
}

}  // namespace espalier::cli
