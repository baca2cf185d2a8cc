#include "bound/ways.hpp"

#include <algorithm>

namespace espalier::bound {
namespace {

/// E. Dijkstra, "A note on two problems in connexion with graphs", 1959; dense, so without a heap.
template <typename Step>
std::vector<Time> dijkstra(Rank size, Rank start, Step step) {
  std::vector<Time> best(size, kForever);
  std::vector<bool> done(size, false);
  best[start] = Time{0};
  for (Rank round = 0; round < size; ++round) {
    Rank next = kNoRank;
    for (Rank r = 0; r < size; ++r) {
      if (!done[r] && (next == kNoRank || best[r] < best[next])) next = r;
    }
    done[next] = true;
    for (Rank r = 0; r < size; ++r) {
      if (done[r]) continue;
      best[r] = std::min(best[r], best[next] + step(next, r));
    }
  }
  return best;
}

Time hop(const topology::Machine& machine, Rank from, Rank to) {
  return machine.costs(from).send.fixed + machine.path(from, to).latency +
         machine.costs(to).recv.fixed;
}

}  // namespace

std::vector<Time> ways_from(const topology::Machine& machine, Rank source) {
  return dijkstra(machine.size(), source,
                  [&](Rank at, Rank next) { return hop(machine, at, next); });
}

std::vector<Time> ways_to(const topology::Machine& machine, Rank target) {
  return dijkstra(machine.size(), target,
                  [&](Rank at, Rank next) { return hop(machine, next, at); });
}

}  // namespace espalier::bound
