#include "select/rank_by_simulation.hpp"

#include <algorithm>
#include <cmath>

#include "select/candidates.hpp"
#include "sim/simulate.hpp"

namespace espalier::select {
namespace {

using schedule::Collective;
using schedule::OpKind;

/// Of one plan. Exchanges of everybody with everybody in segments have a million, all under way at
/// once, and are never the fastest.
constexpr std::uint64_t kMostMessages = 1U << 15U;
/// What would take so many times as long as another took when simulated, were its prediction wrong
/// by as much as the worst so far of those that take less than predicted, is not.
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

/// Places in `ranked` of what is worth playing: the best, all that differ from it in segments only,
/// the best of the others, and so on.
std::vector<std::size_t> worth_simulating(const std::vector<Choice>& ranked, std::size_t most) {
  std::vector<std::size_t> places;
  std::vector<bool> taken(ranked.size());
  for (std::size_t first = 0; first < ranked.size(); ++first) {
    if (taken[first]) continue;
    for (std::size_t i = first; i < ranked.size(); ++i) {
      if (taken[i] || !are_alike(ranked[first].plan, ranked[i].plan)) continue;
      if (places.size() == most) return places;
      taken[i] = true;
      places.push_back(i);
    }
  }
  return places;
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
  std::vector<bool> is_played(ranked.size());
  std::uint64_t left = budget.messages;
  Time fastest = kForever;
  double least = 1;  // time simulated over time predicted
  for (const std::size_t place : worth_simulating(ranked, budget.plans)) {
    const auto predicted = static_cast<double>(ranked[place].predicted.picoseconds);
    if (predicted * least > kHopeless * static_cast<double>(fastest.picoseconds)) continue;
    const Schedule schedule = all_parts(ranked[place].plan, hierarchy, call);
    const std::uint64_t messages = messages_of(schedule);
    if (messages > std::min(left, kMostMessages)) {
      if (place == 0) return ranked;
      continue;
    }
    left -= messages;
    const Time from_0 = sim::simulate(schedule, hierarchy.machine(), budget.sim).finish;
    const double over_roots = ranked[place].over_roots;
    const Time takes{std::llround(static_cast<double>(from_0.picoseconds) * over_roots)};
    fastest = std::min(fastest, takes);
    if (predicted > 0) least = std::min(least, static_cast<double>(takes.picoseconds) / predicted);
    simulated.push_back({ranked[place].plan, takes, over_roots});
    is_played[place] = true;
  }
  std::stable_sort(simulated.begin(), simulated.end(),
                   [](const Choice& a, const Choice& b) { return a.predicted < b.predicted; });
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    if (!is_played[i]) simulated.push_back(std::move(ranked[i]));
  }
  return simulated;
}

}  // namespace espalier::select
