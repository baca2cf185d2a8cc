#include "map/reorder.hpp"

#include <numeric>

#include "map/mappings.hpp"
#include "topology/views.hpp"

namespace espalier::map {
namespace {

/// Replays of more than that say little and take long.
constexpr Rank kMostReplayed = 4096;
constexpr std::uint64_t kMoves = 200'000;
/// All moves of graphs with up to 26 neighbours, as in three dimensions: 2 s. Every process waits
/// meanwhile.
constexpr std::uint64_t kLooks = kMoves * 4 * 26;

/// The slot of each member.
Placement as_they_come(const Problem& problem, const topology::Machine& machine, Rank members) {
  std::vector<std::uint32_t> slot_at(machine.size());
  for (std::uint32_t s = 0; s < problem.slots.size(); ++s) slot_at[problem.slots[s].leaf] = s;
  Placement placement;
  for (Rank m = 0; m < members; ++m) placement.push_back(slot_at[machine.placement()[m]]);
  return placement;
}

}  // namespace

std::vector<Rank> reorder(const topology::Machine& machine, std::span<const Rank> ranks, Rank nodes,
                          std::vector<profile::Pair> pairs) {
  expects(nodes <= ranks.size(), "reorder: more nodes than processes");
  const auto members = static_cast<Rank>(ranks.size());
  std::vector<Rank> result(nodes);
  std::iota(result.begin(), result.end(), Rank{0});
  if (nodes < 2) return result;
  const topology::Machine here = topology::submachine(machine, ranks);
  const Inventory inventory = inventory_of(here);
  profile::Profile profile = profile::silent_profile("graph", nodes);
  profile.pairs = profile::merged(std::move(pairs));
  profile::guess_trace(profile);
  const auto problem = make_problem(inventory, profile, {});
  expects(problem.has_value(), "reorder: a machine without room for its processes");

  const Placement all = as_they_come(*problem, here, members);
  Placement best(all.begin(), all.begin() + nodes);
  Time least = total_cost(*problem, best);
  const bool replays = nodes <= kMostReplayed;
  const ReadyTrace trace(profile, replays ? 2'000'000 : 0);
  Replayer replayer(*problem, trace, sharing_for(*problem));
  const auto takes = [&](const Placement& placement) {
    return replays && !trace.is_too_long() ? replayer.finish(placement) : Time{};
  };
  // Fewer edges between far ones are worth a hundredth: the order of sends alone makes as much.
  const Time as_it_is = takes(best);
  const Time at_most = as_it_is + Time{as_it_is.picoseconds / 100};
  for (Placement tried :
       {best, grouped_placement(*problem, all), greedy_placement(*problem, all)}) {
    refine(*problem, tried, kMoves, kLooks);
    const Time cost = total_cost(*problem, tried);
    if (cost >= least || takes(tried) > at_most) continue;
    least = cost;
    best = std::move(tried);
  }
  std::vector<Rank> member_at(problem->slots.size());
  for (Rank m = 0; m < members; ++m) member_at[all[m]] = m;
  for (Rank n = 0; n < nodes; ++n) result[n] = member_at[best[n]];
  return result;
}

}  // namespace espalier::map
