// Plans of allgathervs by the lengths of all blocks, which every rank knows.
//
// Plans for equal blocks and trees that go by the lengths are simulated with these lengths, and so
// are the algorithms of MPI libraries, as far as one call is worth it.
#include <algorithm>

#include "select/chooser.hpp"
#include "select/counted_runs.hpp"
#include "select/irregular_exchange.hpp"
#include "select/native_model.hpp"
#include "select/segments.hpp"

namespace espalier::select {

using schedule::Collective;

Decision Chooser::decide_by_counts(const Collective& call) const {
  Collective in_bytes = call;
  in_bytes.element = Bytes{1};
  for (std::uint64_t& count : in_bytes.counts) count *= call.element.value;
  const std::vector<ExchangeChoice> ranked = exchange_ranking(
      hierarchy(), in_bytes, exchange_conditions(rules_.mpi, hierarchy().machine()),
      worth_of_counts(hierarchy().machine(), in_bytes), table_);
  Decision decision;
  for (const ExchangeChoice& choice : ranked) {
    if (!choice.plan) continue;
    if (decision.plans.empty() || !are_alike(*choice.plan, decision.plans.front().plan)) {
      decision.plans.push_back({*choice.plan, choice.predicted});
    }
    if (decision.plans.size() == 2) break;
  }
  const Collective mean = with_mean_blocks(in_bytes);
  for (const Plan& plan : plans_by(kOfBlocks, hierarchy(), in_bytes)) {
    const auto same = std::find_if(ranked.begin(), ranked.end(), [&](const ExchangeChoice& one) {
      return one.plan && *one.plan == plan;
    });
    if (same == ranked.end() || !same->is_simulated) continue;
    const Time time = same->predicted + handshakes(rules_.mpi, plan, predictor_, mean);
    if (!decision.native || time < *decision.native) decision.native = time;
  }
  decision.gains = decision.native && is_gain(decision.plans.front().predicted, *decision.native);
  return decision;
}

}  // namespace espalier::select
