#include "place/listed_order.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace espalier::place {
namespace {

constexpr Rank kNobody = std::numeric_limits<Rank>::max();

/// A host's usable slots, which stand together in Problem::slots, and who is on them.
struct HostSlots {
  std::uint32_t host = 0;
  std::uint32_t first_slot = 0;
  std::uint32_t count = 0;
  Rank lowest = kNobody;  ///< lowest rank on it
  bool is_pinned = false;
};

std::vector<HostSlots> slots_by_host(const map::Problem& problem, const map::Placement& placement) {
  std::vector<HostSlots> hosts;
  std::vector<std::size_t> entry_of(problem.slots.size());
  for (std::uint32_t s = 0; s < problem.slots.size(); ++s) {
    const std::uint32_t host = problem.slots[s].host;
    if (hosts.empty() || hosts.back().host != host)
      hosts.push_back({.host = host, .first_slot = s});
    ++hosts.back().count;
    entry_of[s] = hosts.size() - 1;
  }
  for (Rank p = 0; p < problem.size(); ++p) {
    HostSlots& at = hosts[entry_of[placement[p]]];
    at.lowest = std::min(at.lowest, p);
    at.is_pinned = at.is_pinned || problem.pinned[p] != map::Problem::kFree;
  }
  return hosts;
}

/// The innermost cluster that holds all slots of a host.
const topology::Cluster& home_of(const topology::Machine& machine, const map::Host& host) {
  const auto holds_all = [&](const topology::Cluster& c) {
    return c.first_leaf <= host.first_leaf &&
           host.first_leaf + host.slots <= c.first_leaf + c.leaf_count;
  };
  topology::ClusterId id = machine.cluster_of(host.first_leaf);
  while (id != 0 && !holds_all(machine.clusters()[id])) id = machine.clusters()[id].parent;
  return machine.clusters()[id];
}

bool are_alike(const map::Problem& problem, const HostSlots& a, const HostSlots& b) {
  const map::Host& x = problem.inventory->hosts[a.host];
  const map::Host& y = problem.inventory->hosts[b.host];
  if (a.count != b.count || x.slots != y.slots || x.cluster != y.cluster ||
      x.speed_millionths != y.speed_millionths) {
    return false;
  }
  const topology::Machine& machine = problem.machine();
  if (machine.leaf_uplink(x.first_leaf) != machine.leaf_uplink(y.first_leaf) ||
      machine.leaf_costs(x.first_leaf) != machine.leaf_costs(y.first_leaf)) {
    return false;
  }
  const topology::Cluster& home = home_of(machine, x);
  const topology::Cluster& other = home_of(machine, y);
  if (&home == &other) return true;
  return home.leaf_count == x.slots && other.leaf_count == y.slots && home.parent == other.parent &&
         home.uplink == other.uplink && home.channel == other.channel;
}

}  // namespace

map::Placement in_listed_order(const map::Problem& problem, const map::Placement& placement) {
  const std::vector<HostSlots> hosts = slots_by_host(problem, placement);
  std::vector<std::uint32_t> moved_to(problem.slots.size());
  std::iota(moved_to.begin(), moved_to.end(), 0U);
  std::vector<bool> done(hosts.size());
  for (std::size_t a = 0; a < hosts.size(); ++a) {
    std::vector<std::size_t> alike;
    for (std::size_t b = a; b < hosts.size(); ++b) {
      if (done[b] || hosts[b].is_pinned || !are_alike(problem, hosts[a], hosts[b])) continue;
      alike.push_back(b);
      done[b] = true;
    }
    std::vector<std::size_t> by_rank = alike;
    std::stable_sort(by_rank.begin(), by_rank.end(), [&](std::size_t x, std::size_t y) {
      return hosts[x].lowest < hosts[y].lowest;
    });
    for (std::size_t i = 0; i < alike.size(); ++i) {
      for (std::uint32_t k = 0; k < hosts[alike[i]].count; ++k) {
        moved_to[hosts[by_rank[i]].first_slot + k] = hosts[alike[i]].first_slot + k;
      }
    }
  }
  map::Placement moved = placement;
  for (std::uint32_t& slot : moved) slot = moved_to[slot];
  return moved;
}

}  // namespace espalier::place
