#include "discover/eco.hpp"

#include <algorithm>
#include <numeric>

namespace espalier::discover {
namespace {

struct Pair {
  Time time;
  Node a = 0;
  Node b = 0;
  friend auto operator<=>(const Pair&, const Pair&) = default;
};

std::vector<Pair> shortest_first(const RoundTrips& seen) {
  std::vector<Pair> pairs;
  for (const auto& [nodes, time] : seen.all())
    pairs.push_back({time.least, nodes.first, nodes.second});
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

/// Groups by name; small enough machines that renaming a whole group does not matter.
std::vector<std::vector<Node>> by_group(const std::vector<Node>& group) {
  std::vector<std::vector<Node>> members(group.size());
  for (Node i = 0; i < group.size(); ++i) members[group[i]].push_back(i);
  std::erase_if(members, [](const auto& m) { return m.empty(); });
  std::sort(members.begin(), members.end());
  return members;
}

void join(std::vector<Node>& group, Node a, Node b) {
  const Node from = group[b];
  const Node to = group[a];
  std::replace(group.begin(), group.end(), from, to);
}

}  // namespace

std::vector<std::vector<Node>> eco_groups(const RoundTrips& seen, double tolerance) {
  std::vector<Node> group(seen.nodes());
  std::iota(group.begin(), group.end(), 0U);
  std::vector<Time> shortest(seen.nodes(), kForever);  // shortest round trip of each node
  for (const Pair& p : shortest_first(seen)) {
    shortest[p.a] = std::min(shortest[p.a], p.time);
    shortest[p.b] = std::min(shortest[p.b], p.time);
  }
  std::vector<Time> inside(seen.nodes(),
                           kForever);  // shortest round trip that each group was joined by
  const auto is_much_longer = [&](Time time, Time than) {
    return than != kForever && static_cast<double>(time.picoseconds) >
                                   tolerance * static_cast<double>(than.picoseconds);
  };
  for (const Pair& p : shortest_first(seen)) {
    const Node a = group[p.a];
    const Node b = group[p.b];
    if (a == b || is_much_longer(p.time, shortest[p.a]) || is_much_longer(p.time, shortest[p.b]) ||
        is_much_longer(p.time, inside[a]) || is_much_longer(p.time, inside[b])) {
      continue;
    }
    inside[a] = std::min({inside[a], inside[b], p.time});
    join(group, p.a, p.b);
  }
  return by_group(group);
}

std::vector<std::vector<Node>> groups_within(const RoundTrips& seen, Time limit) {
  std::vector<Node> group(seen.nodes());
  std::iota(group.begin(), group.end(), 0U);
  for (const auto& [nodes, time] : seen.all()) {
    if (time.least <= limit) join(group, nodes.first, nodes.second);
  }
  return by_group(group);
}

}  // namespace espalier::discover
