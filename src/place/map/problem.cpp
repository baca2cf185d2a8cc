#include "map/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/nearest.hpp"

namespace espalier::map {
namespace {

/// Above these placing takes minutes, and gigabytes.
constexpr Rank kMostPlaced = 16'384;

/// Which of the hosts may be used.
Expected<std::vector<bool>> usable_hosts(const Inventory& inventory,
                                         const Constraints& constraints) {
  std::vector<bool> usable;
  for (const Host& host : inventory.hosts) usable.push_back(host.state == HostState::Free);
  for (const std::string& name : constraints.exclude) {
    bool found = false;
    for (std::size_t h = 0; h < inventory.hosts.size(); ++h) {
      const Host& host = inventory.hosts[h];
      if (host.name != name && (host.cluster != name || name.empty())) continue;
      usable[h] = false;
      found = true;
    }
    if (!found) {
      return Error{"--exclude", fmt::format("no host or cluster is called \"{}\"", name),
                   "write its name as the inventory has it"};
    }
  }
  return usable;
}

void add_slots(const Inventory& inventory, const std::vector<bool>& usable, std::uint32_t per_node,
               Problem& problem) {
  std::map<std::string, std::uint32_t> clusters;
  for (std::uint32_t h = 0; h < inventory.hosts.size(); ++h) {
    const Host& host = inventory.hosts[h];
    if (!usable[h]) continue;
    const auto [it, is_new] =
        clusters.emplace(host.cluster, static_cast<std::uint32_t>(clusters.size()));
    if (is_new) problem.clusters.push_back(host.cluster);
    const std::uint32_t count = per_node == 0 ? host.slots : std::min(host.slots, per_node);
    for (std::uint32_t i = 0; i < count; ++i) {
      const topology::Leaf leaf = host.first_leaf + i;
      const bool is_alike =
          i > 0 && inventory.machine.cluster_of(leaf) == inventory.machine.cluster_of(leaf - 1);
      if (!is_alike) ++problem.parts;
      problem.slots.push_back({leaf, h, it->second, host.speed_millionths, problem.parts - 1});
    }
  }
}

void add_edges(const profile::Profile& profile, Problem& problem) {
  std::vector<profile::Pair> both;
  for (const profile::Pair& pair : profile::all_pairs(profile)) {
    if (pair.from == pair.to) continue;
    both.push_back(pair);
    both.push_back({pair.to, pair.from, pair.messages, pair.bytes});
  }
  both = profile::merged(std::move(both));
  problem.first_edge.assign(profile.size() + 1, 0);
  for (const profile::Pair& pair : both) {
    ++problem.first_edge[pair.from + 1];
    problem.edges.push_back({pair.to, pair.messages, pair.bytes});
  }
  for (Rank p = 0; p < profile.size(); ++p) problem.first_edge[p + 1] += problem.first_edge[p];
}

Error why_not_pinned(const Inventory& inventory, Rank process, const std::string& name) {
  std::vector<std::string> hosts;
  for (const Host& host : inventory.hosts) hosts.push_back(host.name);
  if (std::find(hosts.begin(), hosts.end(), name) == hosts.end()) {
    return {"--pin", fmt::format("there is no host \"{:.60}\" in the inventory", name),
            fmt::format("{}name a host of the inventory, as espalier place lists them",
                        did_you_mean(name, hosts))};
  }
  return {"--pin", fmt::format("no free slot on the host \"{}\" for process {}", name, process),
          "is it not excluded and not down, and large enough?"};
}

Expected<bool> add_pins(const Constraints& constraints, Problem& problem) {
  std::vector<bool> taken(problem.slots.size());
  for (const auto& [process, name] : constraints.pins) {
    if (process >= problem.size()) {
      return Error{"--pin", fmt::format("there is no process {}", process),
                   fmt::format("they are 0 to {}", problem.size() - 1)};
    }
    if (problem.pinned[process] != Problem::kFree) {
      return Error{"--pin", fmt::format("process {} is pinned twice", process),
                   "name one host for it"};
    }
    std::uint32_t slot = 0;
    while (slot < problem.slots.size() &&
           (taken[slot] || problem.inventory->hosts[problem.slots[slot].host].name != name)) {
      ++slot;
    }
    if (slot == problem.slots.size()) return why_not_pinned(*problem.inventory, process, name);
    taken[slot] = true;
    problem.pinned[process] = slot;
  }
  return true;
}

}  // namespace

Time Problem::cost(const Edge& edge, std::uint32_t slot_a, std::uint32_t slot_b) const {
  const topology::Path way = path(slot_a, slot_b);
  const topology::NodeCosts& at = machine().leaf_costs(slots[slot_a].leaf);
  const Time each = way.latency + at.send.fixed + at.recv.fixed;
  return static_cast<std::int64_t>(std::min<std::uint64_t>(edge.messages, INT64_MAX)) * each +
         transfer_time({edge.bytes}, way.bandwidth);
}

std::optional<Error> why_too_much(const profile::Profile& profile) {
  if (profile.size() > kMostPlaced) {
    return Error{"--processes",
                 fmt::format("{} processes; up to {} are placed", profile.size(), kMostPlaced),
                 "place fewer: a part of the program, or one process for each node"};
  }
  using profile::kMostPairs;
  const std::size_t pairs = profile.pairs.size() + profile.executed.size();
  if (pairs > kMostPairs || profile.is_executed_left_out) {
    return Error{
        "--profile",
        fmt::format("{} pairs of processes communicate; up to {} are placed",
                    profile.is_executed_left_out ? "too many" : std::to_string(pairs), kMostPairs),
        "place fewer processes: where all talk to all, no placement is better"};
  }
  return std::nullopt;
}

Expected<Problem> make_problem(const Inventory& inventory, const profile::Profile& profile,
                               const Constraints& constraints) {
  Problem problem;
  problem.inventory = &inventory;
  problem.profile = &profile;
  auto usable = usable_hosts(inventory, constraints);
  if (!usable) return usable.error();
  add_slots(inventory, *usable, constraints.per_node, problem);
  if (problem.slots.size() < profile.size()) {
    return Error{
        "--processes",
        fmt::format("{} processes, but only {} free slots", profile.size(), problem.slots.size()),
        "exclude fewer hosts, allow more processes a node, or start fewer"};
  }
  add_edges(profile, problem);
  problem.pinned.assign(profile.size(), Problem::kFree);
  if (auto good = add_pins(constraints, problem); !good) return good.error();
  return problem;
}

Time total_cost(const Problem& problem, const Placement& placement) {
  Time sum;
  for (Rank p = 0; p < problem.size(); ++p) {
    for (const Edge& edge : problem.edges_of(p)) {
      if (edge.other > p) sum += problem.cost(edge, placement[p], placement[edge.other]);
    }
  }
  return sum;
}

void obey_pins(const Problem& problem, Placement& placement) {
  std::vector<Rank> occupant(problem.slots.size(), kNoRank);
  for (Rank p = 0; p < problem.size(); ++p) occupant[placement[p]] = p;
  for (Rank p = 0; p < problem.size(); ++p) {
    const std::uint32_t wanted = problem.pinned[p];
    const std::uint32_t has = placement[p];
    if (wanted == Problem::kFree || wanted == has) continue;
    const Rank other = occupant[wanted];
    if (other != kNoRank) placement[other] = has;
    occupant[has] = other;
    placement[p] = wanted;
    occupant[wanted] = p;
  }
}

bool is_valid(const Problem& problem, const Placement& placement) {
  if (placement.size() != problem.size()) return false;
  std::vector<bool> taken(problem.slots.size());
  for (Rank p = 0; p < problem.size(); ++p) {
    if (placement[p] >= problem.slots.size() || taken[placement[p]]) return false;
    taken[placement[p]] = true;
    if (problem.pinned[p] != Problem::kFree && problem.pinned[p] != placement[p]) return false;
  }
  return true;
}

std::vector<std::int32_t> affinities(const Problem& problem) {
  topology::Path slowest{0, microseconds(1), kUnlimited};
  const std::size_t step = std::max<std::size_t>(1, problem.slots.size() / 64);
  for (std::size_t s = step; s < problem.slots.size(); s += step) {
    const topology::Path path = problem.path(0, static_cast<std::uint32_t>(s));
    slowest.latency = std::max(slowest.latency, path.latency);
    slowest.bandwidth = std::min(slowest.bandwidth, path.bandwidth);
  }
  std::vector<double> weights;
  double sum = 0;
  for (const Edge& edge : problem.edges) {
    weights.push_back(static_cast<double>(edge.messages) * to_seconds(slowest.latency) +
                      to_seconds(transfer_time({edge.bytes}, slowest.bandwidth)));
    sum += weights.back();
  }
  // libscotch adds them up in 32 bits.
  const double scale = sum > 0 ? 5e8 / sum : 0;
  std::vector<std::int32_t> result;
  for (const double w : weights) {
    result.push_back(static_cast<std::int32_t>(std::clamp(w * scale, 1.0, 5e8)));
  }
  return result;
}

}  // namespace espalier::map
