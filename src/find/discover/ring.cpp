#include "discover/ring.hpp"

#include <algorithm>

namespace espalier::discover {
namespace {

void add_ring(FoundCluster& cluster, std::span<const NodeCost> costs, std::size_t width,
              TransferRounds& rounds) {
  std::vector<std::vector<Node>> nodes;
  for (const FoundCluster& m : cluster.members) nodes.push_back(cheapest_first(m, costs));
  const std::size_t k = nodes.size();
  for (std::size_t i = 0; i < k; ++i) {
    const std::size_t j = (i + 1) % k;
    Transfer transfer{&cluster, i, j, {}, {}};
    const std::size_t count = std::min({width, nodes[i].size(), nodes[j].size()});
    for (std::size_t n = 0; n < count; ++n) {
      transfer.flows.emplace_back(nodes[i][n], nodes[j][n]);
    }
    rounds[k % 2 == 1 && i + 1 == k ? 2 : i % 2].push_back(std::move(transfer));
  }
}

}  // namespace

std::vector<Node> cheapest_first(const FoundCluster& member, std::span<const NodeCost> costs) {
  std::vector<Node> nodes = member.nodes;
  std::stable_sort(nodes.begin(), nodes.end(), [&](Node a, Node b) {
    return costs[a].send + costs[a].recv < costs[b].send + costs[b].recv;
  });
  return nodes;
}

TransferRounds ring(const std::vector<FoundCluster*>& level, std::span<const NodeCost> costs,
                    std::size_t width) {
  TransferRounds rounds(3);
  for (FoundCluster* cluster : level) add_ring(*cluster, costs, width, rounds);
  std::erase_if(rounds, [](const auto& round) { return round.empty(); });
  return rounds;
}

}  // namespace espalier::discover
