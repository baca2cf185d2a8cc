#include "bound/relay_paths.hpp"

#include <algorithm>

#include "bound/lower_bound.hpp"
#include "bound/needs.hpp"

namespace espalier::bound {
namespace {

template <typename Step>
void dijkstra(RelayPaths& ways, Rank size, Step step) {
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
    for (Rank r = 0; r < size; ++r) {
      if (done[r]) continue;
      const Time time = ways.time[next] + step(next, r);
      if (time >= ways.time[r]) continue;
      ways.time[r] = time;
      ways.nearer[r] = next;
    }
  }
}

}  // namespace

Time hop(const topology::Machine& machine, Rank from, Rank to) {
  return machine.costs(from).send.fixed + machine.path(from, to).latency +
         machine.costs(to).recv.fixed;
}

std::vector<Rank> RelayPaths::path(Rank other) const {
  std::vector<Rank> ranks;
  for (Rank at = other; at != kNoRank; at = nearer[at]) ranks.push_back(at);
  if (!towards) std::reverse(ranks.begin(), ranks.end());
  return ranks;
}

RelayPaths paths_from(const topology::Machine& machine, Rank source) {
  RelayPaths ways{source, false, {}, {}};
  dijkstra(ways, machine.size(), [&](Rank at, Rank next) { return hop(machine, at, next); });
  return ways;
}

RelayPaths paths_to(const topology::Machine& machine, Rank target) {
  RelayPaths ways{target, true, {}, {}};
  dijkstra(ways, machine.size(), [&](Rank at, Rank next) { return hop(machine, next, at); });
  return ways;
}

Reach reach_of(const topology::Machine& machine, const schedule::Collective& call) {
  const std::vector<Time> zeros(machine.size(), Time{0});
  Reach reach{zeros, zeros};
  if (machine.size() > kWaysUpTo) return reach;
  if (flows_from_root(call.operation)) reach.earliest = paths_from(machine, call.root).time;
  if (flows_to_root(call.operation)) reach.remaining = paths_to(machine, call.root).time;
  return reach;
}

}  // namespace espalier::bound
