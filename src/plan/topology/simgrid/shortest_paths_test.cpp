#include "topology/simgrid/shortest_paths.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "support/for_all_seeds.hpp"

namespace espalier::topology::simgrid {
namespace {

constexpr std::uint64_t kFar = std::numeric_limits<std::uint32_t>::max();

Graph random_graph(Random& rng) {
  const auto n = static_cast<std::uint32_t>(rng.between(1, 9));
  Graph graph;
  graph.first.push_back(0);
  for (std::uint32_t v = 0; v < n; ++v) {
    for (std::uint32_t to = 0; to < n; ++to) {
      if (to == v || !rng.chance(35)) continue;
      graph.hops.push_back({to, static_cast<std::uint32_t>(rng.between(1, 4))});
    }
    graph.first.push_back(static_cast<std::uint32_t>(graph.hops.size()));
  }
  return graph;
}

/// Relaxes every edge V times: too simple to be wrong.
std::vector<std::uint64_t> costs_from(const Graph& graph, std::uint32_t source) {
  std::vector<std::uint64_t> cost(graph.size(), kFar);
  cost[source] = 0;
  for (std::uint32_t round = 0; round < graph.size(); ++round) {
    for (std::uint32_t v = 0; v < graph.size(); ++v) {
      for (const Hop& hop : graph.out_of(v)) {
        cost[hop.to] = std::min(cost[hop.to], cost[v] + hop.cost);
      }
    }
  }
  return cost;
}

/// Of the way that `before` describes; kFar if there is none.
std::uint64_t cost_of_way(const Graph& graph, const std::uint32_t* before, std::uint32_t source,
                          std::uint32_t to) {
  std::uint64_t cost = 0;
  for (std::uint32_t v = to; v != source; v = before[v]) {
    if (before[v] == kNoVertex) return kFar;
    for (const Hop& hop : graph.out_of(before[v])) cost += hop.to == v ? hop.cost : 0;
  }
  return cost;
}

TEST(ShortestPathsProperty, AreAsShortAsThoseOfBruteForce) {
  for_all_seeds(1000, [](Random& rng) {
    const Graph graph = random_graph(rng);
    std::vector<std::uint32_t> order(graph.size());
    std::iota(order.begin(), order.end(), 0u);
    rng.shuffle(std::span(order));
    const std::vector<std::uint32_t> table = floyd(graph);
    for (std::uint32_t source = 0; source < graph.size(); ++source) {
      const std::vector<std::uint64_t> costs = costs_from(graph, source);
      const std::vector<std::uint32_t> row = dijkstra(graph, source, order);
      for (std::uint32_t to = 0; to < graph.size(); ++to) {
        if (to == source) continue;
        const std::uint64_t best = std::min(costs[to], kFar);
        ASSERT_EQ(cost_of_way(graph, row.data(), source, to), best);
        const std::uint32_t* floyd_row = table.data() + std::size_t{source} * graph.size();
        ASSERT_EQ(cost_of_way(graph, floyd_row, source, to), best);
      }
    }
  });
}

}  // namespace
}  // namespace espalier::topology::simgrid
