#include "topology/simgrid/shortest_paths.hpp"

#include <functional>
#include <limits>
#include <queue>
#include <tuple>

namespace espalier::topology::simgrid {
namespace {

constexpr std::uint64_t kUnreached = std::numeric_limits<std::uint64_t>::max();

}  // namespace

std::vector<std::uint32_t> dijkstra(const Graph& graph, std::uint32_t source,
                                    std::span<const std::uint32_t> order) {
  std::vector<std::uint32_t> before(graph.size(), kNoVertex);
  std::vector<std::uint64_t> cost(graph.size(), kUnreached);
  using Offer = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>;  // cost, order, vertex
  std::priority_queue<Offer, std::vector<Offer>, std::greater<>> offers;
  cost[source] = 0;
  offers.emplace(0, order[source], source);
  while (!offers.empty()) {
    const auto [so_far, rank, v] = offers.top();
    offers.pop();
    if (so_far > cost[v]) continue;  // a cheaper offer came later
    for (const Hop& hop : graph.out_of(v)) {
      if (so_far + hop.cost >= cost[hop.to]) continue;
      cost[hop.to] = so_far + hop.cost;
      before[hop.to] = v;
      offers.emplace(cost[hop.to], order[hop.to], hop.to);
    }
  }
  return before;
}

std::vector<std::uint32_t> floyd(const Graph& graph) {
  const std::size_t n = graph.size();
  std::vector<std::uint32_t> before(n * n, kNoVertex);
  std::vector<std::uint64_t> cost(n * n, kUnreached);
  for (std::uint32_t v = 0; v < n; ++v) {
    for (const Hop& hop : graph.out_of(v)) {
      cost[v * n + hop.to] = hop.cost;
      before[v * n + hop.to] = v;
    }
  }
  for (std::size_t via = 0; via < n; ++via) {
    for (std::size_t a = 0; a < n; ++a) {
      const std::uint64_t first_part = cost[a * n + via];
      if (first_part == kUnreached) continue;
      for (std::size_t b = 0; b < n; ++b) {
        const std::uint64_t second_part = cost[via * n + b];
        if (second_part == kUnreached || first_part + second_part >= cost[a * n + b]) continue;
        cost[a * n + b] = first_part + second_part;
        before[a * n + b] = before[via * n + b];
      }
    }
  }
  return before;
}

}  // namespace espalier::topology::simgrid
