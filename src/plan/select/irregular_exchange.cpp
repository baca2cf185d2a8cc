#include "select/irregular_exchange.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "base/contract.hpp"
#include "collective/alltoall.hpp"
#include "select/candidates.hpp"
#include "select/irregular.hpp"
#include "select/predict.hpp"
#include "select/segments.hpp"

namespace espalier::select {

using schedule::Collective;
using schedule::Operation;

namespace {

/// With more ranks an exchange has thousands of messages that share links at once: sharing them
/// exactly takes 14 s of processor time among 128 ranks.
constexpr Rank kExactExchangesUpTo = 64;
/// Blocks that flow by themselves: a few have a message for each rank more.
constexpr std::size_t kFewLongBlocks = 3;

}  // namespace

sim::SimOptions exchange_conditions(NativeMpi mpi, const topology::Machine& machine) {
  sim::SimOptions options = conditions_under(mpi, machine);
  if (machine.size() > kExactExchangesUpTo) options.sharing = sim::Sharing::OneBottleneck;
  return options;
}

Collective with_mean_blocks(const Collective& call) {
  Collective one = call;
  std::uint64_t elements = 0;
  for (const std::uint64_t count : call.counts) elements += count;
  one.count = elements / call.counts.size();
  one.counts.clear();
  return one;
}

schedule::Schedule schedule_of(const ExchangeChoice& choice, const Collective& call) {
  schedule::Schedule schedule{call, choice.name, {}};
  schedule.programs.reserve(call.size);
  for (Rank r = 0; r < call.size; ++r) schedule.programs.push_back(choice.program_of(r));
  return schedule;
}

namespace {

/// Whether it has no more than a few messages for each rank: a tree by the lengths, most of whose
/// blocks go together.
bool is_short(const ExchangeChoice& choice, const Collective& call) {
  if (!choice.by_counts || !choice.plan) return choice.by_counts;
  const std::uint64_t from = first_segment(*choice.plan);
  const auto is_long = [&](std::uint64_t count) { return from > 0 && count >= from; };
  return static_cast<std::size_t>(std::count_if(call.counts.begin(), call.counts.end(), is_long)) <=
         kFewLongBlocks;
}

/// Indices into the choices: the best by prediction, those that follow the lengths in few messages,
/// the others, those that follow them in many.
std::vector<std::size_t> exchanges_in_order(const std::vector<ExchangeChoice>& choices,
                                            const Collective& call) {
  std::vector<std::size_t> order(choices.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return choices[a].predicted < choices[b].predicted;
  });
  const auto best = std::find_if(order.begin(), order.end(),
                                 [&](std::size_t index) { return !choices[index].by_counts; });
  if (best != order.end()) std::rotate(order.begin(), best, best + 1);
  const auto turn = [&](std::size_t index) {
    if (is_short(choices[index], call)) return 0;
    return choices[index].by_counts ? 2 : 1;
  };
  std::stable_sort(order.begin() + 1, order.end(),
                   [&](std::size_t a, std::size_t b) { return turn(a) < turn(b); });
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

ExchangeChoice choice_of(const Candidate& candidate, const std::shared_ptr<const Collective>& call,
                         const Predictor& predictor) {
  const Collective mean = with_mean_blocks(*call);
  const bool by_counts = !can_do(candidate.plan, predictor.hierarchy(), mean);
  // Predictions only say what is simulated first.
  const Time predicted = predictor.beside(candidate.plan, by_counts ? *call : mean);
  return {candidate.name,
          by_counts,
          predicted,
          false,
          [call, build = candidate.program_of](Rank rank) { return build(rank); },
          candidate.plan};
}

/// @param chosen is not simulated again; none: all are
std::vector<ExchangeChoice> ranked(const collective::Hierarchy& hierarchy, const Collective& call,
                                   ScheduleTimes& times, const ExchangeChoice* chosen,
                                   AlgorithmTable table = algorithms()) {
  expects(call.irregular() &&
              (call.operation == Operation::Allgather || call.operation == Operation::Alltoall),
          "exchange_ranking: neither allgatherv nor alltoallv");
  const auto kept = std::make_shared<const Collective>(call);
  const Predictor predictor(hierarchy);
  std::vector<ExchangeChoice> choices;
  Time direct = kForever;
  for (const Candidate& candidate : candidates(hierarchy, *kept, Bits::Any, table)) {
    choices.push_back(choice_of(candidate, kept, predictor));
    if (candidate.name == "direct") direct = choices.back().predicted;
  }
  if (call.operation == Operation::Alltoall) {
    choices.push_back({"direct without empty blocks", true, direct, false,
                       [kept](Rank rank) { return collective::sparse_alltoall(*kept, rank); }});
  }
  std::size_t known = choices.size();
  if (chosen != nullptr) known = put(*chosen, choices);
  for (const std::size_t index : exchanges_in_order(choices, call)) {
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
  return choice_of(candidate_of(plan, hierarchy, *kept), kept, Predictor(hierarchy));
}

std::vector<ExchangeChoice> exchange_ranking(const collective::Hierarchy& hierarchy,
                                             const Collective& call, const sim::SimOptions& options,
                                             std::uint64_t messages, AlgorithmTable table) {
  ScheduleTimes times(hierarchy.machine(), options, messages);
  return ranked(hierarchy, call, times, nullptr, table);
}

std::vector<ExchangeChoice> exchange_ranking(const collective::Hierarchy& hierarchy,
                                             const Collective& call, ScheduleTimes& times,
                                             const ExchangeChoice& chosen) {
  return ranked(hierarchy, call, times, &chosen);
}

}  // namespace espalier::select
