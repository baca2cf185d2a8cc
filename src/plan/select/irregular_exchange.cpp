#include "select/irregular_exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "base/contract.hpp"
#include "base/units.hpp"
#include "collective/alltoall.hpp"
#include "collective/irregular_allgather.hpp"
#include "model/machine_models.hpp"
#include "select/candidates.hpp"
#include "select/irregular.hpp"
#include "select/predict.hpp"
#include "tree/tree_time.hpp"

namespace espalier::select {

using schedule::Collective;
using schedule::Operation;

namespace {

constexpr std::array kTrees{"linear",       "binomial",    "minimum-first",
                            "model-traeff", "clustered-1", "clustered-2",
                            "clustered-4",  "clustered-8", "clustered-traeff-1"};
/// Blocks from which on they flow by themselves; the last: none does.
constexpr std::array<std::uint64_t, 4> kLongFrom{4 * 1024, 32 * 1024, 256 * 1024,
                                                 ~std::uint64_t{0}};

void add_trees(const topology::Machine& machine, const Collective& call,
               std::vector<ExchangeChoice>& choices) {
  // Everybody is in the tree: whoever has nothing gets everything all the same.
  Collective scatter = call;
  scatter.operation = Operation::Scatter;
  scatter.root = static_cast<Rank>(std::max_element(call.counts.begin(), call.counts.end()) -
                                   call.counts.begin());
  for (std::uint64_t& count : scatter.counts) count = std::max<std::uint64_t>(1, count);
  const model::Levels levels(machine);
  const std::vector<Bytes> bytes = bytes_of(call);
  std::uint64_t all_bytes = 0;
  for (const Bytes block : bytes) all_bytes += block.value;
  IrregularConditions all_fits;
  all_fits.bundle_limit = Bytes{~std::uint64_t{0}};  // what passes a rank it gets itself
  for (const char* name : kTrees) {
    const tree::CommTree tree = irregular_plan(name, machine, scatter, all_fits).tree;
    // All blocks up to the root, then all of them down to everybody.
    const Time by_model =
        gather_time(tree, levels, bytes) + broadcast_time(tree, levels, Bytes{all_bytes});
    std::size_t last = ~std::size_t{0};
    for (const std::uint64_t long_from : kLongFrom) {
      const auto plan =
          std::make_shared<const collective::IrregularAllgather>(tree, call, Bytes{long_from});
      if (plan->long_blocks() == last) continue;
      last = plan->long_blocks();
      std::string text = fmt::format("{} by counts", name);
      if (last == 1) text += ", 1 block by itself";
      if (last > 1) text += fmt::format(", {} blocks by themselves", last);
      choices.push_back({std::move(text), true, by_model, false,
                         [plan](Rank rank) { return plan->program_of(rank); }});
    }
  }
}

}  // namespace

schedule::Schedule schedule_of(const ExchangeChoice& choice, const Collective& call) {
  schedule::Schedule schedule{call, choice.name, {}};
  schedule.programs.reserve(call.size);
  for (Rank r = 0; r < call.size; ++r) schedule.programs.push_back(choice.program_of(r));
  return schedule;
}

namespace {

/// All blocks as long as the mean.
Collective with_mean_blocks(const Collective& call) {
  Collective one = call;
  std::uint64_t elements = 0;
  for (const std::uint64_t count : call.counts) elements += count;
  one.count = elements / call.counts.size();
  one.counts.clear();
  return one;
}

/// Indices into the choices: the best by prediction, those that follow the lengths, the others.
std::vector<std::size_t> exchanges_in_order(const std::vector<ExchangeChoice>& choices) {
  std::vector<std::size_t> order(choices.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return choices[a].predicted < choices[b].predicted;
  });
  const auto best = std::find_if(order.begin(), order.end(),
                                 [&](std::size_t index) { return !choices[index].by_counts; });
  if (best != order.end()) std::rotate(order.begin(), best, best + 1);
  std::stable_partition(order.begin() + 1, order.end(),
                        [&](std::size_t index) { return choices[index].by_counts; });
  return order;
}

/// Nothing if the plan has more messages. Making programs takes time too: it ends at the first rank
/// that is too many.
std::optional<schedule::Schedule> schedule_within(std::uint64_t messages,
                                                  const ExchangeChoice& choice,
                                                  const Collective& call) {
  schedule::Schedule schedule{call, choice.name, {}};
  schedule.programs.reserve(call.size);
  for (Rank r = 0; r < call.size; ++r) {
    schedule.programs.push_back(choice.program_of(r));
    const std::uint64_t here = messages_in(schedule.programs.back());
    if (here > messages) return std::nullopt;
    messages -= here;
  }
  return schedule;
}

/// In the place of the plan of that name, or behind all. Returns its index.
std::size_t put(const ExchangeChoice& chosen, std::vector<ExchangeChoice>& choices) {
  const auto same = std::find_if(choices.begin(), choices.end(), [&](const ExchangeChoice& choice) {
    return choice.name == chosen.name;
  });
  if (same == choices.end()) {
    choices.push_back(chosen);
    return choices.size() - 1;
  }
  *same = chosen;
  return static_cast<std::size_t>(same - choices.begin());
}

ExchangeChoice choice_of(const Candidate& candidate, std::shared_ptr<const Collective> call,
                         Time predicted) {
  return {
      candidate.name, false, predicted, false,
      [kept = std::move(call), build = candidate.program_of](Rank rank) { return build(rank); }};
}

/// @param chosen is not simulated again; none: all are
std::vector<ExchangeChoice> ranked(const collective::Hierarchy& hierarchy, const Collective& call,
                                   ScheduleTimes& times, const ExchangeChoice* chosen) {
  expects(call.irregular() &&
              (call.operation == Operation::Allgather || call.operation == Operation::Alltoall),
          "exchange_ranking: neither allgatherv nor alltoallv");
  const auto kept = std::make_shared<const Collective>(call);
  const Predictor predictor(hierarchy);
  const Collective mean = with_mean_blocks(call);
  std::vector<ExchangeChoice> choices;
  Time direct = kForever;
  for (Candidate& candidate : candidates(hierarchy, *kept)) {
    // Predictions only say what is simulated first.
    const Time predicted = predictor.beside(candidate.plan, mean);
    if (candidate.name == "direct") direct = predicted;
    choices.push_back(choice_of(candidate, kept, predicted));
  }
  if (call.operation == Operation::Allgather) {
    add_trees(hierarchy.machine(), call, choices);
  } else {
    choices.push_back({"direct without empty blocks", true, direct, false,
                       [kept](Rank rank) { return collective::sparse_alltoall(*kept, rank); }});
  }
  std::size_t known = choices.size();
  if (chosen != nullptr) known = put(*chosen, choices);
  for (const std::size_t index : exchanges_in_order(choices)) {
    if (index == known) continue;
    ExchangeChoice& choice = choices[index];
    if (times.left() == 0) break;
    const auto schedule = schedule_within(times.left(), choice, call);
    const auto time = schedule ? times.of(*schedule) : std::nullopt;
    if (!time) continue;
    choice.predicted = *time;
    choice.is_simulated = true;
  }
  std::stable_sort(choices.begin(), choices.end(), [](const auto& a, const auto& b) {
    return std::pair(!a.is_simulated, a.predicted) < std::pair(!b.is_simulated, b.predicted);
  });
  return choices;
}

}  // namespace

ExchangeChoice exchange_choice(const collective::Hierarchy& hierarchy, const Collective& call,
                               const Plan& plan) {
  const auto kept = std::make_shared<const Collective>(call);
  return choice_of(candidate_of(plan, hierarchy, *kept), kept,
                   Predictor(hierarchy).beside(plan, with_mean_blocks(call)));
}

std::vector<ExchangeChoice> exchange_ranking(const collective::Hierarchy& hierarchy,
                                             const Collective& call, const sim::SimOptions& options,
                                             std::uint64_t messages) {
  ScheduleTimes times(hierarchy.machine(), options, messages);
  return ranked(hierarchy, call, times, nullptr);
}

std::vector<ExchangeChoice> exchange_ranking(const collective::Hierarchy& hierarchy,
                                             const Collective& call, ScheduleTimes& times,
                                             const ExchangeChoice& chosen) {
  return ranked(hierarchy, call, times, &chosen);
}

}  // namespace espalier::select
