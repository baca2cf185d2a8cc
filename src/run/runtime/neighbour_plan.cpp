#include "runtime/neighbour_plan.hpp"

#include "runtime/class_policy.hpp"
#include "schedule/schedule.hpp"

namespace espalier::runtime {

using select::NeighbourChoice;

namespace {

select::NeighbourChooser::Kind planned_kind(const SharedCall& call) {
  return {call.operation, call.count};
}

}  // namespace

std::vector<Candidate> neighbour_candidates(select::NeighbourChooser& chooser,
                                            const Settings& settings, const SharedCall& call) {
  const auto in_seconds = [](const std::optional<Time>& time) {
    return time ? to_microseconds(*time) * 1e-6 : -1;
  };
  const NeighbourChoice& choice = chooser.choose(planned_kind(call));
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
                               const SharedCall& call, Rank rank) {
  const NeighbourChoice& choice = chooser.choose(planned_kind(call));
  CachedPlan plan;
  plan.call = chooser.call_of(planned_kind(call));
  plan.name = choice.name;
  plan.why = choice.why;
  plan.predicted = choice.predicted;
  plan.native_predicted = choice.native_predicted;
  plan.planned = choice.planned();
  if (!plan.planned) return plan;
  plan.prepared = prepare(chooser.own_part(planned_kind(call), rank),
                          [&](Rank peer) { return link_along(machine.path(rank, peer)); });
  plan.signature = schedule::hash_of(plan.call);
  return plan;
}

}  // namespace espalier::runtime
