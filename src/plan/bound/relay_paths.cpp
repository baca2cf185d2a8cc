#include "bound/relay_paths.hpp"

#include <algorithm>

namespace espalier::bound {
namespace {

/// @param hops [rank] what one message costs between a rank and each other one
template <typename Hops>
void dijkstra(RelayPaths& ways, Rank size, Hops hops) {
  ways.time.assign(size, kForever);
  ways.nearer.assign(size, kNoRank);
  std::vector<bool> done(size, false);
  ways.time[ways.end] = Time{0};
  for (Rank round = 0; round < size; ++round) {
    Rank next = kNoRank;
    for (Rank r = 0; r < size; ++r) {
      if (!done[r] && (next == kNoRank || ways.time[r] < ways.time[next])) next = r;
    }
    done[next] = true;
    const std::vector<Time> step = hops(next);
    for (Rank r = 0; r < size; ++r) {
      if (done[r]) continue;
      const Time time = ways.time[next] + step[r];
      if (time >= ways.time[r]) continue;
      ways.time[r] = time;
      ways.nearer[r] = next;
    }
  }
}

}  // namespace

std::vector<Time> hops_from(const topology::Machine& machine, const Distances& distances,
                            Rank source) {
  std::vector<Time> hops = distances.from(source);
  const Time send = machine.costs(source).send.fixed;
  for (Rank r = 0; r < machine.size(); ++r) hops[r] += send + machine.costs(r).recv.fixed;
  return hops;
}

std::vector<Time> hops_to(const topology::Machine& machine, const Distances& distances,
                          Rank target) {
  std::vector<Time> hops = distances.from(target);
  const Time recv = machine.costs(target).recv.fixed;
  for (Rank r = 0; r < machine.size(); ++r) hops[r] += recv + machine.costs(r).send.fixed;
  return hops;
}

std::vector<Rank> RelayPaths::path(Rank other) const {
  std::vector<Rank> ranks;
  for (Rank at = other; at != kNoRank; at = nearer[at]) ranks.push_back(at);
  if (!towards) std::reverse(ranks.begin(), ranks.end());
  return ranks;
}

RelayPaths paths_from(const topology::Machine& machine, const Distances& distances, Rank source) {
  RelayPaths ways{source, false, {}, {}};
  dijkstra(ways, machine.size(), [&](Rank at) { return hops_from(machine, distances, at); });
  return ways;
}

RelayPaths paths_to(const topology::Machine& machine, const Distances& distances, Rank target) {
  RelayPaths ways{target, true, {}, {}};
  dijkstra(ways, machine.size(), [&](Rank at) { return hops_to(machine, distances, at); });
  return ways;
}

}  // namespace espalier::bound
