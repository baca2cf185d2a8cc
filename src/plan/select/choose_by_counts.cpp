// Plans of allgathervs by the lengths of all blocks, which every rank knows.
//
// Plans for equal blocks and trees that go by the lengths are simulated with these lengths, and so
// are the algorithms of MPI libraries. The budget is that of any choice, and a reserve for native
// algorithms: without them a gain would not be seen.
#include <algorithm>
#include <optional>

#include "select/chooser.hpp"
#include "select/counted_runs.hpp"
#include "select/irregular_exchange.hpp"
#include "select/native_model.hpp"
#include "select/segments.hpp"

namespace espalier::select {

using schedule::Collective;

namespace {

/// What the algorithms of MPI libraries may take besides, in messages: all of them among 64 ranks.
constexpr std::uint64_t kForNatives = std::uint64_t{1} << 13U;

}  // namespace

Decision Chooser::decide_by_counts(const Collective& call) const {
  Collective in_bytes = call;
  in_bytes.element = Bytes{1};
  for (std::uint64_t& count : in_bytes.counts) count *= call.element.value;
  const topology::Machine& machine = hierarchy().machine();
  const sim::SimOptions conditions = exchange_conditions(rules_.mpi, machine);
  const std::uint64_t worth = worth_of_counts(machine, in_bytes);
  const std::vector<ExchangeChoice> ranked =
      exchange_ranking(hierarchy(), in_bytes, conditions, worth, table_);
  Decision decision;
  for (const ExchangeChoice& choice : ranked) {
    if (!choice.plan) continue;
    if (decision.plans.empty() || !are_alike(*choice.plan, decision.plans.front().plan)) {
      decision.plans.push_back({*choice.plan, choice.predicted});
    }
    if (decision.plans.size() == 2) break;
  }
  const Collective mean = with_mean_blocks(in_bytes);
  ScheduleTimes reserve(machine, conditions, std::max(worth, kForNatives));
  for (const Plan& plan : plans_by(kOfBlocks, hierarchy(), in_bytes, table_)) {
    const auto same = std::find_if(ranked.begin(), ranked.end(), [&](const ExchangeChoice& one) {
      return one.plan && *one.plan == plan;
    });
    if (same == ranked.end()) continue;
    const std::optional<Time> simulated = same->is_simulated
                                              ? std::optional(same->predicted)
                                              : reserve.of(schedule_of(*same, in_bytes));
    if (simulated && *simulated < decision.plans.front().predicted) {
      decision.plans.insert(decision.plans.begin(), {plan, *simulated});
    }
    const Time time =
        simulated.value_or(same->predicted) + handshakes(rules_.mpi, plan, predictor_, mean);
    if (!decision.native || time < *decision.native) decision.native = time;
  }
  decision.gains = decision.native && is_gain(decision.plans.front().predicted, *decision.native);
  return decision;
}

}  // namespace espalier::select
