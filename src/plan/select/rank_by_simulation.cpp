#include "select/rank_by_simulation.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "select/candidates.hpp"
#include "select/segments.hpp"
#include "sim/simulate_within.hpp"

namespace espalier::select {
namespace {

using schedule::Collective;
using schedule::OpKind;

/// Most messages of a plan that is simulated. Segmented exchanges among all ranks have a million
/// messages in flight at once, and are never the fastest.
constexpr std::uint64_t kMostMessages = 1U << 15U;
/// A plan is not simulated if, even scaled by the least simulated / predicted ratio so far, it
/// would need this many times the best simulated time.
constexpr double kHopeless = 2;

using schedule::Schedule;

Schedule all_parts(const Plan& plan, const collective::Hierarchy& hierarchy,
                   const Collective& call) {
  return schedule_of(candidate_of(plan, hierarchy, call), call);
}

std::uint64_t messages_of(const Schedule& schedule) {
  std::uint64_t messages = 0;
  for (const schedule::Program& program : schedule.programs) {
    for (const schedule::Op& op : program.ops) {
      if (op.kind != OpKind::Send) continue;
      messages += op.peer != kNoRank ? 1 : program.sets[op.peers].size();
    }
  }
  return messages;
}

/// Indices into `ranked` of the plans to simulate, at most `most`: the best, all that differ from
/// it in segments only, then the best of the rest with all its segment sizes, and so on.
std::vector<std::size_t> worth_simulating(const std::vector<Choice>& ranked, std::size_t most) {
  std::vector<std::size_t> indices;
  std::vector<bool> taken(ranked.size());
  for (std::size_t first = 0; first < ranked.size(); ++first) {
    if (taken[first]) continue;
    for (std::size_t i = first; i < ranked.size(); ++i) {
      if (taken[i] || !are_alike(ranked[first].plan, ranked[i].plan)) continue;
      if (indices.size() == most) return indices;
      taken[i] = true;
      indices.push_back(i);
    }
  }
  return indices;
}

/// Nothing if the schedule does not fit into what is left.
std::optional<Time> simulated_within(sim::Budget& left, const SimulationBudget& whole,
                                     const Schedule& schedule, const topology::Machine& machine) {
  const std::uint64_t messages = messages_of(schedule);
  if (messages > kMostMessages || !left.take_messages(messages)) return std::nullopt;
  sim::Budget part = left.part(whole.messages / 2);
  const auto result = sim::simulate_within(part, schedule, machine, whole.sim);
  left.give_back(part);
  if (!result) return std::nullopt;
  return result->finish;
}

}  // namespace

sim::SimOptions without_connections() {
  sim::SimOptions options;
  options.ordered_pairs = false;
  options.one_at_a_time = true;
  options.shares_by_latency = true;
  options.free_rendezvous = true;
  return options;
}

Time simulated_time(const Plan& plan, const collective::Hierarchy& hierarchy,
                    const Collective& call, const sim::SimOptions& options) {
  return sim::simulate(all_parts(plan, hierarchy, call), hierarchy.machine(), options).finish;
}

std::vector<Choice> ranked_by_simulation(std::vector<Choice> ranked,
                                         const collective::Hierarchy& hierarchy,
                                         const Collective& call, const SimulationBudget& budget) {
  std::vector<Choice> simulated;
  std::vector<bool> is_simulated(ranked.size());
  sim::Budget left(budget.messages);
  Time fastest = kForever;
  double least = 1;  // least ratio of simulated to predicted time so far
  for (const std::size_t index : worth_simulating(ranked, budget.plans)) {
    const auto predicted = static_cast<double>(ranked[index].predicted.picoseconds);
    if (predicted * least > kHopeless * static_cast<double>(fastest.picoseconds)) continue;
    const Schedule schedule = all_parts(ranked[index].plan, hierarchy, call);
    const auto from_0 = simulated_within(left, budget, schedule, hierarchy.machine());
    if (!from_0) {
      if (index == 0) return ranked;
      continue;
    }
    const double over_roots = ranked[index].over_roots;
    const Time takes = nearest_time(static_cast<double>(from_0->picoseconds) * over_roots);
    fastest = std::min(fastest, takes);
    if (predicted > 0) least = std::min(least, static_cast<double>(takes.picoseconds) / predicted);
    simulated.push_back({ranked[index].plan, takes, over_roots});
    is_simulated[index] = true;
  }
  std::stable_sort(simulated.begin(), simulated.end(),
                   [](const Choice& a, const Choice& b) { return a.predicted < b.predicted; });
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    if (!is_simulated[i]) simulated.push_back(std::move(ranked[i]));
  }
  return simulated;
}

std::vector<Scored> score(std::vector<Candidate> candidates, const schedule::Collective& call,
                          const topology::Machine& machine, const sim::SimOptions& options) {
  std::vector<Scored> scored;
  scored.reserve(candidates.size());
  for (Candidate& candidate : candidates) {
    sim::SimResult result = sim::simulate(call, candidate.program_of, machine, options);
    scored.push_back({std::move(candidate), std::move(result)});
  }
  std::stable_sort(scored.begin(), scored.end(), [](const Scored& a, const Scored& b) {
    return a.result.finish < b.result.finish;
  });
  return scored;
}

}  // namespace espalier::select
