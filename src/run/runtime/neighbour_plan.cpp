#include "runtime/neighbour_plan.hpp"

#include "runtime/class_policy.hpp"
#include "schedule/schedule.hpp"

namespace espalier::runtime {

using schedule::Operation;
using select::NeighbourChoice;

std::vector<Candidate> neighbour_candidates(select::NeighbourChooser& chooser,
                                            const Settings& settings, Operation operation) {
  const auto in_seconds = [](const std::optional<Time>& time) {
    return time ? to_microseconds(*time) * 1e-6 : -1;
  };
  const NeighbourChoice& choice = chooser.choose(operation);
  std::vector<Candidate> candidates;
  if (choice.planned()) {
    candidates.push_back({select::WhichPlan::Best, choice.name, in_seconds(choice.predicted)});
  }
  if (candidates.empty() || may_try(settings)) {
    candidates.push_back({std::nullopt, "native", in_seconds(choice.native_predicted)});
  }
  return candidates;
}

CachedPlan make_neighbour_plan(select::NeighbourChooser& chooser, const topology::Machine& machine,
                               Operation operation, Rank rank) {
  const NeighbourChoice& choice = chooser.choose(operation);
  CachedPlan plan;
  plan.call = chooser.call_of(operation, select::kUnknownBlock);
  plan.name = choice.name;
  plan.why = choice.why;
  plan.predicted = choice.predicted;
  plan.native_predicted = choice.native_predicted;
  plan.planned = choice.planned();
  if (!plan.planned) return plan;
  plan.prepared = prepare(chooser.own_part(operation, rank), [&](Rank peer) {
    const topology::Path path = machine.path(rank, peer);
    return PeerLink{path.level, topology::kTransport.is_far(path.latency)};
  });
  plan.signature = schedule::hash_of(plan.call);
  return plan;
}

}  // namespace espalier::runtime
