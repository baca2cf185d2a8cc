// Each rank sends what it has for another cluster in one message, to one of its neighbours there.
// So a block that several neighbours get crosses once. Nobody waits for others of its cluster, and
// many ranks of a cluster share what comes in.
#include <algorithm>
#include <map>
#include <utility>

#include "collective/neighbourhood.hpp"

namespace espalier::collective {

std::vector<NeighbourBundle> relayed_bundles(std::span<const NeighbourEdge> far,
                                             std::span<const Rank> part_of) {
  std::map<std::pair<Rank, Rank>, NeighbourBundle> found;  // by sender and cluster
  for (const NeighbourEdge& edge : far) {
    NeighbourBundle& bundle = found[{edge.from, part_of[edge.to]}];
    bundle.sender = edge.from;
    bundle.edges.push_back(edge);
  }
  std::vector<NeighbourBundle> bundles;
  for (auto& [key, bundle] : found) {
    std::vector<Rank> receivers;
    for (const NeighbourEdge& edge : bundle.edges) receivers.push_back(edge.to);
    std::sort(receivers.begin(), receivers.end());
    receivers.erase(std::unique(receivers.begin(), receivers.end()), receivers.end());
    // Ranks that have the same neighbours take different ones of them.
    bundle.receiver = receivers[bundle.sender % receivers.size()];
    bundles.push_back(std::move(bundle));
  }
  return bundles;
}

}  // namespace espalier::collective
