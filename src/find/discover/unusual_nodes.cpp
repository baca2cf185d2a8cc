#include <algorithm>

#include "discover/found.hpp"

namespace espalier::discover {
namespace {

constexpr Time kLeastOff = microseconds(5);
constexpr Time kMostOff = microseconds(100);
/// Below this costs are as good as none, and ratios of them say nothing.
constexpr Time kLeastCost = nanoseconds(100);

/// Nodes that are compared with each other: those that are members of one cluster.
struct Neighbours {
  std::vector<Node> members;
  /// Nodes to compare with: its neighbours, or the whole cluster if it has none.
  std::vector<Node> around;
  Time latency;
};

void collect(const FoundCluster& cluster, std::vector<Neighbours>& all) {
  Neighbours here{{}, {}, cluster.latency};
  for (const FoundCluster& m : cluster.members) {
    if (m.is_node()) here.members.push_back(m.nodes.front());
    collect(m, all);
  }
  here.around = here.members.size() == 1 ? cluster.nodes : here.members;
  if (here.around.size() > 1) all.push_back(std::move(here));
}

std::vector<Neighbours> neighbours_in(const FoundCluster& whole) {
  std::vector<Neighbours> all;
  collect(whole, all);
  return all;
}

/// Receiving that costs less than sending hides behind it, so the one stands for the other there.
Time usual_cost(std::span<const Node> others, std::span<const NodeCost> costs, bool sends) {
  std::vector<Time> each;
  for (const Node other : others) {
    each.push_back(sends ? costs[other].send : std::max(costs[other].send, costs[other].recv));
  }
  return std::max(middle(each), kLeastCost);
}

bool is_unusual(const UnusualNode& seen, Time latency) {
  const Time least_off = std::clamp(Time{latency.picoseconds / 4}, kLeastOff, kMostOff);
  const auto [low, high] = std::minmax(seen.own, seen.usual);
  return high >= 2 * low && high - low >= least_off && (seen.sends || seen.is_slow());
}

}  // namespace

std::vector<UnusualNode> unusual_nodes(const FoundCluster& whole, std::span<const NodeCost> costs) {
  std::vector<UnusualNode> unusual;
  for (const Neighbours& here : neighbours_in(whole)) {
    for (const Node node : here.members) {
      std::vector<Node> others = here.around;
      std::erase(others, node);
      for (const bool sends : {true, false}) {
        const UnusualNode seen{node, sends, sends ? costs[node].send : costs[node].recv,
                               usual_cost(others, costs, sends)};
        if (is_unusual(seen, here.latency)) unusual.push_back(seen);
      }
    }
  }
  return unusual;
}

std::vector<NodeCost> without_noise(const FoundCluster& whole, std::span<const NodeCost> costs,
                                    std::span<const UnusualNode> unusual) {
  std::vector<NodeCost> result(costs.begin(), costs.end());
  for (const bool sends : {true, false}) {
    std::vector<bool> stays(costs.size());
    for (const UnusualNode& u : unusual) {
      if (u.sends == sends) stays[u.node] = true;
    }
    const auto cost = [sends](auto& of) -> auto& { return sends ? of.send : of.recv; };
    for (const Neighbours& here : neighbours_in(whole)) {
      std::vector<Time> plain;
      for (const Node node : here.around) {
        if (!stays[node]) plain.push_back(cost(costs[node]));
      }
      for (const Node node : here.members) {
        if (!stays[node]) cost(result[node]) = middle(plain);
      }
    }
  }
  return result;
}

}  // namespace espalier::discover
