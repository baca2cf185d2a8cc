#include "cli/irregular.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/nearest.hpp"
#include "base/progress.hpp"
#include "base/units.hpp"
#include "cli/irregular_call.hpp"
#include "cli/irregular_choice.hpp"
#include "cli/irregular_table.hpp"
#include "cli/output.hpp"
#include "model/cost_model.hpp"
#include "report/table.hpp"
#include "report/text.hpp"
#include "select/candidates.hpp"
#include "select/irregular_exchange.hpp"
#include "tree/irregular.hpp"
#include "tree/irregular_algorithm.hpp"
#include "tree/tree_time.hpp"

namespace espalier::cli {
namespace {

using report::Align;
using report::Cell;
using select::ExchangeChoice;
using select::IrregularChoice;
using select::IrregularPlan;

/// All plans of a scatterv or gatherv.
std::vector<IrregularChoice> ranked_trees(const IrregularCall& asked) {
  constexpr std::size_t kInPieces = 9;
  Progress progress(
      "simulating",
      2 * tree::irregular_algorithms().size() + kInPieces + asked.conditions.trials + 2,
      Progress::Told::ByTheClock);
  progress.listen();
  return irregular_ranking(asked.machine, asked.call, asked.conditions);
}

/// All plans of an allgatherv or alltoallv. @pre the hierarchy outlives them
std::vector<ExchangeChoice> ranked_exchanges(const IrregularCall& asked,
                                             const collective::Hierarchy& hierarchy) {
  Progress progress("simulating", select::proposed_plans(hierarchy, asked.call).size() + 1,
                    Progress::Told::ByTheClock);
  progress.listen();
  return select::exchange_ranking(hierarchy, asked.call, asked.conditions.sim,
                                  asked.conditions.messages);
}

/// The schedule of the plan that is named.
template <typename Choices>
Expected<schedule::Schedule> schedule_named(const Choices& choices, const std::string& name,
                                            const schedule::Collective& call) {
  std::vector<std::string> known;
  for (const auto& choice : choices) {
    if (plan_name(choice) == name) return schedule_of(choice, call);
    known.push_back(plan_name(choice));
  }
  return Error{
      "--algorithm", fmt::format("there is no plan \"{:.60}\" for these lengths", name),
      fmt::format("{}the plans are: {}; \"espalier plan\" with --all and the same call lists them",
                  did_you_mean(name, known), some_names(name, known))};
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

schedule::Schedule chosen_schedule(const IrregularCall& asked) {
  if (!asked.exchanges()) {
    return schedule_of(counted_runs(asked.machine, asked.call, asked.conditions).plan, asked.call);
  }
  const collective::Hierarchy hierarchy(asked.machine);
  select::Chooser chooser(hierarchy);
  return schedule_of(chosen_exchange(asked, chooser), asked.call);
}

}  // namespace

Expected<schedule::Schedule> irregular_schedule(const IrregularCallOptions& options,
                                                const topology::Machine& machine,
                                                const std::string& name,
                                                sim::SimOptions& conditions) {
  const auto asked = understand(options, Levels::WithAChoice, &machine);
  if (!asked) return asked.error();
  const sim::SimOptions& planned = asked->conditions.sim;
  conditions.ordered_pairs = planned.ordered_pairs;
  conditions.shares_by_latency = planned.shares_by_latency;
  conditions.sharing = planned.sharing;
  if (name.empty()) return chosen_schedule(*asked);
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
    table.rows.push_back({std::string(2 * depth[r], ' ') + std::to_string(r), count_cell(r),
                          is_root ? Cell() : count_cell(plan.tree.parent(r)),
                          count_cell(bytes[r].value), to_string(bytes[r]),
                          count_cell(below[r].value), to_string(below[r]), done[r]});
  }
  const std::string above =
      fmt::format("{}: {} ({})\n\n", asked->in_words(), builder->title, builder->source);
  const std::string about_model =
      asked->has_own_model ? "\n" + asked->model_in_words() + "times are the model's\n" : "";
  return write_table(*asked, table, form, above, canvas, about_model);
}

}  // namespace espalier::cli
