// Which plans there are for a call, and the one that is taken.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <espalier/plan.hpp>

#include "api/call.hpp"
#include "api/plan_inside.hpp"
#include "schedule/json.hpp"
#include "select/chooser.hpp"
#include "select/ranking.hpp"
#include "topology/views.hpp"
#include "verify/verify.hpp"

namespace espalier {
namespace {

using schedule::Collective;

/// Trees that go by the lengths of blocks alone; the other v forms take plans for blocks of any
/// length.
bool goes_by_lengths(const Collective& call) {
  return call.irregular() && (call.operation == schedule::Operation::Scatter ||
                              call.operation == schedule::Operation::Gather);
}

/// What stands for a call whose blocks differ: all of them as long as the mean.
Collective regular(const Collective& call) {
  if (!call.irregular()) return call;
  Collective one = call;
  std::uint64_t bytes = 0;
  for (const std::uint64_t count : call.counts) bytes += count * call.element.value;
  one.count = bytes / call.counts.size() / call.element.value;
  one.counts.clear();
  return one;
}

/// A call on a machine, as asked for and as plans are made for it.
struct Asked {
  Machine machine;
  Call call;
  std::shared_ptr<const topology::Machine> planned;
  Collective inside;
};

Expected<Asked> asked_for(const Machine& machine, const Call& call) {
  auto inside = api::inside_of(call, machine.size());
  if (!inside) return inside.error();
  return Asked{machine, call,
               std::make_shared<const topology::Machine>(topology::as_planned(*machine.inside())),
               *std::move(inside)};
}

Plan made(const Asked& asked, PlanInside::AnyPlan way, std::string name,
          std::optional<Time> predicted) {
  return Plan(std::make_shared<const PlanInside>(
      PlanInside{asked.machine, asked.planned, asked.call, asked.inside, std::move(way),
                 std::move(name), predicted}));
}

std::vector<Plan> by_lengths(const Asked& asked) {
  std::vector<Plan> plans;
  for (select::IrregularChoice& choice :
       select::irregular_ranking(*asked.planned, asked.inside, {})) {
    std::string name = name_of(choice.plan);
    plans.push_back(made(asked, std::move(choice.plan), std::move(name), choice.predicted));
  }
  return plans;
}

std::vector<Plan> by_prediction(const Asked& asked) {
  const Collective& inside = asked.inside;
  const collective::Hierarchy hierarchy(*asked.planned);
  const select::CostView cost_view(*asked.planned);
  std::vector<Plan> plans;
  // First what the library takes; then all others by predicted time.
  select::PlanChoice chosen = select::Chooser(hierarchy).choose(inside, select::WhichPlan::Best);
  if (chosen.planned()) {
    const bool by_lengths = select::is_chosen_by_counts(inside);
    const Time predicted = by_lengths
                               ? *chosen.predicted
                               : predict(*chosen.plan, cost_view, hierarchy, regular(inside));
    plans.push_back(made(asked, *chosen.plan, chosen.name, predicted));
  }
  for (select::Choice& choice : select::ranking(hierarchy, cost_view, regular(inside))) {
    if (!can_do(choice.plan, hierarchy, inside) || choice.plan == chosen.plan) continue;
    std::string name = name_of(choice.plan, inside);
    plans.push_back(made(asked, std::move(choice.plan), std::move(name), choice.predicted));
  }
  return plans;
}

Expected<std::vector<Plan>> all_plans(const Asked& asked) {
  if (!goes_by_lengths(asked.inside)) return by_prediction(asked);
  if (asked.machine.size() > kMostByLengths) {
    return Error{"machine",
                 fmt::format("{} processes; plans by lengths are simulated for up to {}",
                             asked.machine.size(), kMostByLengths),
                 "take a smaller machine"};
  }
  return by_lengths(asked);
}

}  // namespace

Expected<std::vector<Plan>> all_plans(const Machine& machine, const Call& call) {
  auto asked = asked_for(machine, call);
  if (!asked) return asked.error();
  return all_plans(*asked);
}

Expected<Plan> choose_plan(const Machine& machine, const Call& call) {
  auto plans = all_plans(machine, call);
  if (!plans) return plans.error();
  return plans->front();
}

Expected<Plan> plan_named(const Machine& machine, const Call& call, const std::string& name) {
  auto asked = asked_for(machine, call);
  if (!asked) return asked.error();
  auto plans = all_plans(*asked);
  if (!plans) return plans.error();
  const auto is_it = [&](const Plan& plan) { return plan.name() == name; };
  const auto found = std::find_if(plans->begin(), plans->end(), is_it);
  if (found != plans->end()) return *found;
  // Names that are no candidates here, such as trees by speed among equals.
  const collective::Hierarchy hierarchy(*asked->planned);
  if (!goes_by_lengths(asked->inside)) {
    if (auto plan = select::plan_named(name, hierarchy, asked->inside)) {
      const Time predicted =
          predict(*plan, select::CostView(*asked->planned), hierarchy, regular(asked->inside));
      return made(*asked, *std::move(plan), name, predicted);
    }
  }
  constexpr std::size_t kTold = 12;
  std::vector<std::string> known;
  for (std::size_t i = 0; i < std::min(kTold, plans->size()); ++i) {
    known.push_back((*plans)[i].name());
  }
  return Error{"name", fmt::format("there is no plan \"{}\" for this call", name),
               fmt::format("the first of {} are: {}", plans->size(), fmt::join(known, ", "))};
}

Expected<Plan> read_plan(const Machine& machine, const std::string& json) {
  auto schedule = schedule::read_json(json, "plan");
  if (!schedule) return schedule.error();
  if (schedule->call.operation == schedule::Operation::Unknown) {
    return Error{"plan", "its messages have no known meaning",
                 "only plans of collectives are read"};
  }
  if (schedule->call.size != machine.size()) {
    return Error{
        "plan",
        fmt::format("it is for {} ranks, the machine has {}", schedule->call.size, machine.size()),
        "read it with the machine it was made for"};
  }
  if (schedule->call.irregular()) {
    const verify::Verdict verdict = verify::verify_structure(*schedule);
    if (!verdict.ok()) {
      return Error{"plan", "it is not sound: " + to_string(verdict.findings[0]),
                   "keep within the buffers"};
    }
  }
  const Asked asked{machine, api::outside_of(schedule->call),
                    std::make_shared<const topology::Machine>(*machine.inside()), schedule->call};
  std::string name = schedule->algorithm;
  return made(asked, *std::move(schedule), std::move(name), std::nullopt);
}

}  // namespace espalier
