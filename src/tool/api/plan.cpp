#include <fmt/format.h>

#include <espalier/plan.hpp>
#include <limits>

#include "api/plan_inside.hpp"
#include "report/text.hpp"
#include "schedule/json.hpp"
#include "select/candidates.hpp"
#include "select/schedule_times.hpp"
#include "select/simulated_times.hpp"
#include "sim/network.hpp"
#include "sim/simulate_within.hpp"
#include "verify/verify.hpp"

namespace espalier {
namespace {

sim::SimOptions sim_options_of(const SimulationOptions& options) {
  sim::SimOptions result;
  result.eager_limit = options.eager_limit;
  result.skew = options.skew;
  result.sharing = options.exact ? sim::Sharing::ExactMaxMin : sim::Sharing::OneBottleneck;
  return result;
}

Simulation simulation_of(const sim::SimResult& result, const topology::Machine& machine) {
  Simulation simulation{result.finish, result.rank_finish, {}, {}, true};
  for (std::size_t l = 0; l < machine.levels().size(); ++l) {
    simulation.levels.push_back({result.levels[l].messages, result.levels[l].bytes});
  }
  if (result.bottleneck != sim::kNoResource) {
    simulation.bottleneck = describe(result.resources[result.bottleneck].resource, machine);
  }
  return simulation;
}

/// Links are shared exactly if that is as much work as so many messages, some two seconds.
constexpr std::uint64_t kSharedExactly = std::uint64_t{1} << 20U;

/// Programs of plans are made one by one: all at once take some memory.
sim::SimResult simulated(const PlanInside& plan, sim::SimOptions& options) {
  const topology::Machine& machine = *plan.machine.inside();
  const sim::Budget budget(kSharedExactly);
  const auto* way = std::get_if<select::Plan>(&plan.way);
  if (way == nullptr) return simulate_as_exactly_as(budget, plan.schedule(), machine, options);
  const collective::Hierarchy hierarchy(*plan.planned);
  const auto candidate = candidate_of(*way, hierarchy, plan.inside);
  return simulate_as_exactly_as(budget, plan.inside, candidate.program_of, machine, options);
}

}  // namespace

std::uint64_t PlanInside::messages(std::uint64_t enough) const {
  const auto* plan = std::get_if<select::Plan>(&way);
  if (plan == nullptr) return select::messages_in(schedule());
  const collective::Hierarchy hierarchy(*planned);
  return select::SimulatedTimes(hierarchy, inside, 0).messages_of(*plan, enough);
}

schedule::Schedule PlanInside::schedule() const {
  if (const auto* whole = std::get_if<schedule::Schedule>(&way)) return *whole;
  if (const auto* tree = std::get_if<select::IrregularPlan>(&way)) {
    return select::schedule_of(*tree, inside);
  }
  const collective::Hierarchy hierarchy(*planned);
  return schedule_of(candidate_of(std::get<select::Plan>(way), hierarchy, inside), inside);
}

const std::string& Plan::name() const { return inside_->name; }

const Machine& Plan::machine() const { return inside_->machine; }

const Call& Plan::call() const { return inside_->call; }

std::optional<Time> Plan::predicted() const { return inside_->predicted; }

bool Plan::knows_topology() const {
  if (const auto* plan = std::get_if<select::Plan>(&inside_->way)) {
    return select::knows_topology(*plan);
  }
  return std::holds_alternative<select::IrregularPlan>(inside_->way);
}

std::vector<std::string> Plan::per_level() const {
  const auto* plan = std::get_if<select::Plan>(&inside_->way);
  if (plan == nullptr) return {};
  return select::per_level(*plan, *inside_->planned, inside_->inside);
}

Verdict Plan::verify() const {
  const verify::Verdict found = verify::verify(inside_->schedule());
  Verdict verdict{{}, found.left_off, found.statistics.messages, found.statistics.bytes};
  for (const verify::Finding& finding : found.findings) {
    verdict.findings.push_back(to_string(finding));
  }
  return verdict;
}

Expected<Simulation> Plan::simulate(const SimulationOptions& options) const {
  const topology::Machine& machine = *inside_->machine.inside();
  if (!options.skew.empty() && options.skew.size() != machine.size()) {
    return Error{"skew", fmt::format("{} times for {} ranks", options.skew.size(), machine.size()),
                 "give one for each rank, or none"};
  }
  const std::uint64_t count = inside_->messages(kMostSimulated);
  if (count > kMostSimulated) {
    return Error{"plan",
                 fmt::format("{} has more than {} messages, which are not simulated", name(),
                             report::grouped(kMostSimulated)),
                 "take a shorter message or a smaller machine; there is a predicted time"};
  }
  sim::SimOptions conditions = sim_options_of(options);
  Simulation simulation = simulation_of(simulated(*inside_, conditions), machine);
  simulation.exact = conditions.sharing == sim::Sharing::ExactMaxMin;
  return simulation;
}

std::uint64_t Plan::messages() const {
  return inside_->messages(std::numeric_limits<std::uint64_t>::max());
}

std::string Plan::to_json() const { return schedule::write_json(inside_->schedule()); }

std::uint64_t Plan::hash() const { return hash_of(inside_->schedule()); }

}  // namespace espalier
