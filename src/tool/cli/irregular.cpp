#include "cli/irregular.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/nearest.hpp"
#include "base/progress.hpp"
#include "base/units.hpp"
#include "bound/lower_bound.hpp"
#include "cli/call_options.hpp"
#include "cli/irregular_call.hpp"
#include "cli/output.hpp"
#include "cli/schedule_files.hpp"
#include "model/cost_model.hpp"
#include "report/json_text.hpp"
#include "report/table.hpp"
#include "report/text.hpp"
#include "select/candidates.hpp"
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
  const double best = to_microseconds(choices.front().predicted);
  const double ratio = best > 0 ? to_microseconds(choice.predicted) / best : 1;
  std::vector<Cell> cells{name, choice.predicted, Decimal{ratio, 3}};
  if (has_others) cells.emplace_back();
  return cells;
}

report::Table candidates_table(const IrregularCall& asked,
                               const std::vector<IrregularChoice>& choices, std::size_t shown) {
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
  for (std::size_t i = 0; i < std::min(shown, choices.size()); ++i) {
    const IrregularChoice& choice = choices[i];
    const Bytes held = largest_bundle(choice.plan.tree, bytes);
    std::vector<Cell> cells = time_cells(name_of(choice.plan), choice, choices);
    cells.push_back(count(choice.plan.tree.height()));
    cells.push_back(count(held.value));
    cells.emplace_back(to_string(held));
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
  table.columns = time_columns(choices);
  table.columns.push_back({"by_counts", "goes by", Align::Left});
  for (std::size_t i = 0; i < std::min(shown, choices.size()); ++i) {
    const ExchangeChoice& choice = choices[i];
    std::vector<Cell> cells = time_cells(choice.name, choice, choices);
    cells.emplace_back(std::string(choice.by_counts ? "lengths" : "ranks"));
    table.rows.push_back(std::move(cells));
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
constexpr std::string_view kSharedRoughly =
    "simulated: message by message, each link serves its messages one after the other\n";

/// How plans were simulated, and how many were not.
template <typename Choices>
std::string how_simulated(const IrregularCall& asked, const Choices& choices) {
  const bool is_exact = asked.conditions.sim.sharing == sim::Sharing::ExactMaxMin;
  std::string text(is_exact ? kSharedBySmpi : kSharedRoughly);
  const std::size_t others = not_simulated_of(choices);
  if (others == 0) return text;
  text += fmt::format(
      "not simulated: {} of {} plans, since about {} messages are simulated in all (espalier plan "
      "--all simulates every plan)\npredicted: {}\n",
      others, choices.size(), report::grouped(asked.conditions.messages),
      asked.exchanges() ? "in closed form, for blocks of the mean length"
                        : "by the cost model of trees, one message after the other");
  return text;
}

/// All plans of a scatterv or gatherv.
std::vector<IrregularChoice> ranked_trees(const IrregularCall& asked) {
  constexpr std::size_t kInPieces = 9;
  Progress progress("simulating", 2 * tree::irregular_algorithms().size() + kInPieces +
                                      asked.conditions.trials + 2);
  progress.listen();
  return irregular_ranking(asked.machine, asked.call, asked.conditions);
}

/// All plans of an allgatherv or alltoallv. @pre the hierarchy outlives them
std::vector<ExchangeChoice> ranked_exchanges(const IrregularCall& asked,
                                             const collective::Hierarchy& hierarchy) {
  constexpr std::size_t kByCounts = 36;  // at most
  Progress progress("simulating", select::proposed_plans(hierarchy, asked.call).size() + kByCounts);
  progress.listen();
  return select::exchange_ranking(hierarchy, asked.call, asked.conditions.sim,
                                  asked.conditions.messages);
}

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

/// The plan of this name if it is a whole tree, at once or one by one: such need no simulations.
std::optional<IrregularPlan> tree_named(const IrregularCall& asked, const std::string& name) {
  constexpr std::string_view kOneByOne = " one by one";
  const bool is_one_by_one = name.ends_with(kOneByOne);
  const std::string algorithm =
      is_one_by_one ? name.substr(0, name.size() - kOneByOne.size()) : name;
  const tree::IrregularAlgorithm* known = tree::find_irregular_algorithm(algorithm);
  if (known == nullptr || asked.call.size > known->quick_up_to) return std::nullopt;
  IrregularPlan plan = irregular_plan(algorithm, asked.machine, asked.call, asked.conditions);
  if (is_one_by_one) plan.sending = collective::Sending::OneByOne;
  return plan;
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
  const std::string above = fmt::format("{}: {}, {} {}, {}\n\n", asked.in_words(),
                                        plan_name(chosen), rounded(chosen.predicted),
                                        chosen.is_simulated ? "simulated" : "predicted", *verdict);
  const std::string below = options.form == TableForm::Text
                                ? "\n" + asked.model_in_words() + how_simulated(asked, choices) +
                                      bound_text(asked, chosen.predicted)
                                : "";
  return write_table(asked, table(all ? choices.size() : kShown), options.form, above, canvas,
                     below);
}

}  // namespace

Outcome plan_irregular(const IrregularPlanOptions& options, const report::Canvas& canvas) {
  auto asked = understand(options);
  if (!asked) return Failure{asked.error()};
  if (options.all) asked->conditions.messages = select::kAnyMessages;
  if (asked->exchanges()) {
    const collective::Hierarchy hierarchy(asked->machine);
    const auto choices = ranked_exchanges(*asked, hierarchy);
    return show_plan(options, *asked, choices, canvas,
                     [&](std::size_t shown) { return candidates_table(choices, shown); });
  }
  const auto choices = ranked_trees(*asked);
  return show_plan(options, *asked, choices, canvas,
                   [&](std::size_t shown) { return candidates_table(*asked, choices, shown); });
}

Expected<schedule::Schedule> irregular_schedule(const IrregularCallOptions& options,
                                                const topology::Machine& machine,
                                                const std::string& name) {
  const auto asked = understand(options, &machine);
  if (!asked) return asked.error();
  if (!asked->exchanges()) {
    if (auto named = tree_named(*asked, name)) return schedule_of(*named, asked->call);
    return schedule_named(ranked_trees(*asked), name, asked->call);
  }
  const collective::Hierarchy hierarchy(asked->machine);
  return schedule_named(ranked_exchanges(*asked, hierarchy), name, asked->call);
}

Outcome compare_irregular(const IrregularCallOptions& options, TableForm form,
                          const report::Canvas& canvas) {
  const auto asked = understand(options);
  if (!asked) return Failure{asked.error()};
  if (asked->exchanges()) {
    const collective::Hierarchy hierarchy(asked->machine);
    const auto choices = ranked_exchanges(*asked, hierarchy);
    return write_table(*asked, candidates_table(choices, choices.size()), form,
                       asked->in_words() + "\n\n", canvas, "\n" + how_simulated(*asked, choices));
  }
  auto choices = ranked_trees(*asked);
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
                     "\n" + asked->model_in_words() + how_simulated(*asked, best));
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
