#include "select/neighbour_chooser.hpp"

#include <algorithm>
#include <utility>

#include "base/contract.hpp"
#include "base/float_environment.hpp"
#include "base/units.hpp"
#include "schedule/schedule.hpp"
#include "select/chooser.hpp"
#include "sim/simulate_within.hpp"

namespace espalier::select {

using collective::NeighbourPlan;
using collective::NeighbourRoute;
using collective::NeighbourRoutes;
using schedule::Collective;
using schedule::Operation;

namespace {

/// More levels with far links than these are not told apart.
constexpr std::size_t kMostLevels = 3;
/// Work of one simulation, in messages.
constexpr std::uint64_t kBudget = 8 * NeighbourChooser::kMostEdges;
/// A plan that takes at most so much of the native time is clearly ahead.
constexpr double kClearly = 0.9;

sim::SimOptions own_options(const Rules& rules) {
  sim::SimOptions options;
  if (rules.budget) options = rules.budget->sim;
  options.eager_limit = Bytes{rules.transport.eager_bytes};
  return options;
}

/// The MPI library's messages are not cut: long ones wait for handshakes over far links.
sim::SimOptions native_options(const Rules& rules, const topology::Machine& machine) {
  const Transport transport = transport_of(rules.mpi);
  sim::SimOptions options = own_options(rules);
  options.eager_limit = Bytes{transport.eager_bytes};
  options.handshake.assign(machine.levels().size(), 0);
  for (const topology::Cluster& cluster : machine.clusters()) {
    if (cluster.depth >= options.handshake.size()) continue;
    if (!transport.is_far(cluster.channel.latency)) continue;
    options.handshake[cluster.depth] = static_cast<std::uint32_t>(transport.handshake_latencies);
  }
  return options;
}

/// What a plan takes of the native time; where that is not known, a lot.
double ratio_of(const std::optional<Time>& planned, const std::optional<Time>& native) {
  if (!planned || !native) return 2;
  if (native->picoseconds == 0) return 1;
  return static_cast<double>(planned->picoseconds) / static_cast<double>(native->picoseconds);
}

NeighbourChoice stays_native(std::string why) {
  NeighbourChoice choice;
  choice.why = std::move(why);
  return choice;
}

}  // namespace

NeighbourChooser::NeighbourChooser(const topology::Machine& machine,
                                   std::shared_ptr<const schedule::NeighbourGraph> graph,
                                   Rules rules)
    : machine_(machine), graph_(std::move(graph)), rules_(std::move(rules)) {
  expects(graph_ != nullptr && graph_->size() == machine_.size(),
          "NeighbourChooser: a graph of other ranks");
}

Collective NeighbourChooser::call_of(const Kind& kind) const {
  Collective call{kind.operation, machine_.size(), 0, kind.bytes, Bytes{1}, true, {}, graph_};
  call.counts.assign(machine_.size(), kind.bytes);
  return call;
}

const NeighbourChoice& NeighbourChooser::choose(const Kind& kind) { return kept(kind).choice; }

NeighbourChooser::Kept& NeighbourChooser::kept(const Kind& kind) {
  const auto known = kept_.find(kind);
  if (known != kept_.end()) return known->second;
  const DefaultFloats floats;
  return kept_.emplace(kind, Kept{make_choice(kind), std::nullopt}).first->second;
}

schedule::Program NeighbourChooser::own_part(const Kind& kind, Rank rank) {
  Kept& mine = kept(kind);
  expects(mine.choice.planned(), "NeighbourChooser: there is no plan");
  const Collective call = call_of(kind);
  if (!mine.routes) mine.routes = neighbour_routes(*mine.choice.plan, call, machine_);
  return neighbour_program(call, *mine.routes, rank);
}

std::vector<std::uint32_t> NeighbourChooser::crossed_levels() const {
  std::vector<std::uint32_t> levels;
  for (Rank rank = 0; rank < graph_->size(); ++rank) {
    for (const Rank to : graph_->destinations.of(rank)) {
      if (to == kNoRank || to == rank) continue;
      const topology::Path path = machine_.path(rank, to);
      if (rules_.force || rules_.transport.is_far(path.latency)) levels.push_back(path.level);
    }
  }
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  if (levels.size() > kMostLevels) levels.resize(kMostLevels);
  return levels;
}

NeighbourChoice NeighbourChooser::make_choice(const Kind& kind) const {
  const bool is_large = graph_->destinations.ranks.size() > kMostEdges;
  if (is_large) return stays_native("too many neighbours to be planned");
  // Which of several blocks to one rank comes first there, MPI libraries do not agree on.
  if (kind.operation == Operation::NeighbourAlltoall && has_repeated_pairs(*graph_)) {
    return stays_native("some rank has a neighbour several times");
  }
  const auto named = rules_.named.find(kind.operation);
  if (named != rules_.named.end()) {
    const auto plan = collective::neighbour_plan_named(named->second);
    if (plan && plan->level < machine_.levels().size()) {
      return {name_of(*plan), "named by ESPALIER_ALGORITHM", {}, {}, plan};
    }
  }
  const std::vector<std::uint32_t> levels = crossed_levels();
  if (levels.empty() && !rules_.force) return stays_native("no neighbour is far");
  std::vector<NeighbourPlan> plans{{NeighbourRoute::Direct, 0}};
  for (const std::uint32_t level : levels) {
    plans.push_back({NeighbourRoute::Relayed, level});
    plans.push_back({NeighbourRoute::Joined, level});
  }
  return best_of(kind, plans);
}

NeighbourChoice NeighbourChooser::best_of(const Kind& kind,
                                          const std::vector<NeighbourPlan>& plans) const {
  const Collective call = call_of(kind);
  const auto natively = simulated(plans.front(), call, native_options(rules_, machine_));
  if (!natively && !rules_.force) {
    return stays_native("too many blocks cross at once to be predicted");
  }
  NeighbourChoice best = stays_native("no gain predicted");
  double least = 0;
  for (const NeighbourPlan& plan : plans) {
    const auto time = simulated(plan, call, own_options(rules_));
    const double ratio = ratio_of(time, natively);
    if ((ratio > kClearly && !rules_.force) || (best.plan && ratio >= least)) continue;
    least = ratio;
    best = {name_of(plan),
            "the shortest simulated time for blocks of about " + to_string(Bytes{kind.bytes}),
            time,
            {},
            plan};
  }
  best.native_predicted = natively;
  return best;
}

std::optional<Time> NeighbourChooser::simulated(const NeighbourPlan& plan, const Collective& call,
                                                const sim::SimOptions& options) const {
  const NeighbourRoutes routes = neighbour_routes(plan, call, machine_);
  schedule::Schedule schedule{call, name_of(plan), {}};
  for (Rank rank = 0; rank < call.size; ++rank) {
    schedule.programs.push_back(neighbour_program(call, routes, rank));
  }
  sim::Budget budget(kBudget);
  const auto result = sim::simulate_within(budget, schedule, machine_, options);
  if (!result) return std::nullopt;
  return result->finish;
}

}  // namespace espalier::select
