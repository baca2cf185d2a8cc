// K.-L. Park, H.-J. Lee, K.-W. Koh, O.-Y. Kwon, S.-Y. Park, H.-W. Park, S.-D. Kim: "Dynamic
// topology selection for high performance MPI in the Grid environments", 2004. The six steps of
// section 3.2; what the paper leaves open is defined in the header.
#include "place/select_topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/units.hpp"

namespace espalier::place {
namespace {

/// The slowest path between clusters; between hosts, where there is one cluster.
topology::Path wide_area_path(const map::Problem& problem,
                              const std::vector<RankedCluster>& clusters) {
  topology::Path slowest;
  std::vector<std::uint32_t> first;
  std::vector<bool> seen(std::max(problem.clusters.size(), problem.inventory->hosts.size()));
  for (std::uint32_t s = 0; s < problem.slots.size() && first.size() < 64; ++s) {
    const std::uint32_t key =
        clusters.size() > 1 ? problem.slots[s].cluster : problem.slots[s].host;
    if (seen[key]) continue;
    seen[key] = true;
    for (const std::uint32_t other : first) {
      const topology::Path path = problem.path(other, s);
      if (path.latency > slowest.latency) slowest.latency = path.latency;
      if (path.bandwidth < slowest.bandwidth) slowest.bandwidth = path.bandwidth;
    }
    first.push_back(s);
  }
  // A machine without figures: messages still count.
  if (slowest.latency == Time{}) slowest.latency = microseconds(1);
  return slowest;
}

Time weight_of(const map::Edge& edge, const topology::Path& path) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(edge.messages, INT64_MAX)) *
             path.latency +
         transfer_time({edge.bytes}, path.bandwidth);
}

struct Channels {
  std::vector<HeavyChannel> all;  ///< a < b
  Time typical;
};

Channels weigh(const map::Problem& problem, const topology::Path& path) {
  Channels channels;
  for (Rank p = 0; p < problem.size(); ++p) {
    for (const map::Edge& edge : problem.edges_of(p)) {
      if (edge.other > p) channels.all.push_back({p, edge.other, weight_of(edge, path)});
    }
  }
  std::vector<Time> weights;
  for (const HeavyChannel& c : channels.all) weights.push_back(c.weight);
  if (!weights.empty()) {
    const auto middle = weights.begin() + static_cast<std::ptrdiff_t>((weights.size() - 1) / 2);
    std::nth_element(weights.begin(), middle, weights.end());
    channels.typical = *middle;
  }
  return channels;
}

std::vector<Time> burdens(const map::Problem& problem, const Channels& channels) {
  std::vector<Time> burden(problem.size());
  for (const HeavyChannel& c : channels.all) {
    const Time counted = std::min(c.weight, channels.typical);
    burden[c.a] += counted;
    burden[c.b] += counted;
  }
  return burden;
}

std::vector<HeavyChannel> heavy_ones(const Channels& channels) {
  std::vector<HeavyChannel> heavy;
  for (const HeavyChannel& c : channels.all) {
    if (c.weight > 2 * channels.typical) heavy.push_back(c);
  }
  std::stable_sort(heavy.begin(), heavy.end(),
                   [](const auto& a, const auto& b) { return a.weight > b.weight; });
  return heavy;
}

/// Joins the ends of heavy channels, the heaviest first, as long as a group fits into a cluster.
std::vector<std::vector<Rank>> groups_of(Rank size, const std::vector<HeavyChannel>& heavy,
                                         std::uint32_t largest_cluster) {
  std::vector<Rank> group(size);
  std::iota(group.begin(), group.end(), Rank{0});
  std::vector<std::vector<Rank>> members(size);
  for (Rank p = 0; p < size; ++p) members[p] = {p};
  for (const HeavyChannel& c : heavy) {
    Rank a = group[c.a], b = group[c.b];
    if (a == b || members[a].size() + members[b].size() > largest_cluster) continue;
    if (members[a].size() < members[b].size()) std::swap(a, b);
    for (const Rank p : members[b]) group[p] = a;
    members[a].insert(members[a].end(), members[b].begin(), members[b].end());
    members[b].clear();
  }
  std::erase_if(members, [](const auto& m) { return m.empty(); });
  for (auto& m : members) std::sort(m.begin(), m.end());
  return members;
}

/// By the burden of the heaviest member; among equals groups first, since they need more room.
void sort_units(std::vector<std::vector<Rank>>& units, const std::vector<Time>& burden) {
  const auto key = [&](const std::vector<Rank>& unit) {
    Time most;
    for (const Rank p : unit) most = std::max(most, burden[p]);
    return most;
  };
  std::vector<std::pair<Time, std::vector<Rank>>> keyed;
  for (auto& unit : units) {
    const Time k = key(unit);
    keyed.emplace_back(k, std::move(unit));
  }
  std::stable_sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first > b.first;
    const bool grouped_a = a.second.size() > 1, grouped_b = b.second.size() > 1;
    if (grouped_a != grouped_b) return grouped_a;
    return a.second.front() < b.second.front();
  });
  units.clear();
  for (auto& [k, unit] : keyed) units.push_back(std::move(unit));
}

/// Pinned processes go where they belong, and the rest of their groups into the same cluster if
/// there is room: a pin must not tear a heavy channel apart. Takes them out of both lists.
void assign_pinned(const map::Problem& problem, std::vector<std::uint32_t>& sorted,
                   std::vector<std::vector<Rank>>& order, map::Placement& placement) {
  std::vector<bool> taken(problem.slots.size());
  const auto put = [&](Rank p, std::uint32_t slot) {
    placement[p] = slot;
    taken[slot] = true;
  };
  for (Rank p = 0; p < problem.size(); ++p) {
    if (problem.pinned[p] != map::Problem::kFree) put(p, problem.pinned[p]);
  }
  for (std::vector<Rank>& unit : order) {
    const auto pinned = std::find_if(
        unit.begin(), unit.end(), [&](Rank p) { return problem.pinned[p] != map::Problem::kFree; });
    if (pinned == unit.end()) continue;
    const std::uint32_t cluster = problem.slots[problem.pinned[*pinned]].cluster;
    std::erase_if(unit, [&](Rank p) { return problem.pinned[p] != map::Problem::kFree; });
    std::vector<std::uint32_t> near;
    for (const std::uint32_t s : sorted) {
      if (!taken[s] && problem.slots[s].cluster == cluster) near.push_back(s);
    }
    if (near.size() < unit.size()) continue;
    for (std::size_t i = 0; i < unit.size(); ++i) put(unit[i], near[i]);
    unit.clear();
  }
  std::erase_if(order, [](const auto& unit) { return unit.empty(); });
  std::erase_if(sorted, [&](std::uint32_t s) { return taken[s]; });
}

/// Step 6: cluster by cluster, each unit that still fits in its turn; what fits nowhere is split.
map::Placement assign(const map::Problem& problem, std::vector<std::uint32_t> sorted,
                      std::vector<std::vector<Rank>> order) {
  map::Placement placement(problem.size());
  assign_pinned(problem, sorted, order, placement);
  std::vector<bool> done(order.size());
  std::vector<std::uint32_t> free_slots;
  std::size_t first_waiting = 0;
  for (std::size_t at = 0; at < sorted.size();) {
    std::size_t end = at;
    const std::uint32_t cluster = problem.slots[sorted[at]].cluster;
    while (end < sorted.size() && problem.slots[sorted[end]].cluster == cluster) ++end;
    for (std::size_t u = first_waiting; u < order.size() && at < end; ++u) {
      if (done[u] || order[u].size() > end - at) continue;
      for (const Rank p : order[u]) placement[p] = sorted[at++];
      done[u] = true;
      while (first_waiting < order.size() && done[first_waiting]) ++first_waiting;
    }
    while (at < end) free_slots.push_back(sorted[at++]);
  }
  std::size_t next = 0;
  for (std::size_t u = 0; u < order.size(); ++u) {
    if (done[u]) continue;
    for (const Rank p : order[u]) placement[p] = free_slots[next++];
  }
  return placement;
}

std::string named(const std::vector<std::vector<Rank>>& units, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < units.size() && i < most; ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : " ", fmt::join(units[i], "-"));
  }
  return units.size() > most ? text + " ..." : text;
}

/// "n1: 0 2; n2: 1 3", of the first hosts that have processes.
std::string by_host(const map::Problem& problem, const map::Placement& placement) {
  constexpr std::size_t kShown = 16;
  std::vector<std::string> parts;
  for (std::uint32_t h = 0; h < problem.inventory->hosts.size(); ++h) {
    std::vector<Rank> here;
    for (Rank p = 0; p < problem.size(); ++p) {
      if (problem.slots[placement[p]].host == h) here.push_back(p);
    }
    if (here.empty()) continue;
    if (parts.size() == kShown) {
      parts.emplace_back("...");
      break;
    }
    parts.push_back(fmt::format("{}: {}", problem.inventory->hosts[h].name, fmt::join(here, " ")));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::vector<std::string> explain(const map::Problem& problem, const Principles& principles,
                                 const Selection& s) {
  std::vector<std::string> lines;
  const bool has_clusters = problem.clusters.size() > 1 || !problem.clusters.front().empty();
  lines.push_back(has_clusters ? fmt::format("1 node list: {} slots on {} clusters",
                                             s.listed.size(), problem.clusters.size())
                               : fmt::format("1 node list: {} slots on {} hosts", s.listed.size(),
                                             problem.inventory->hosts.size()));
  std::string order;
  for (const RankedCluster& c : s.clusters) {
    const std::string& name = problem.clusters[c.cluster];
    order += fmt::format("{}{}{}", order.empty() ? "" : " > ", name.empty() ? "all" : name,
                         c.used ? "" : " (not used)");
  }
  lines.push_back(
      !has_clusters
          ? std::string("2 sorted nodes: the hosts are in no clusters, so A and B choose nothing")
          : fmt::format(
                "2 sorted nodes{}{}: {}", principles.fewest_clusters ? ", fewest clusters (A)" : "",
                principles.nearest_clusters ? ", lowest latency to the others first (B)" : "",
                order));
  lines.push_back(fmt::format("3 process list: {} processes", problem.size()));
  std::string channels;
  for (std::size_t i = 0; i < s.heavy.size() && i < 8; ++i) {
    channels += fmt::format("{}{}-{}", i == 0 ? "" : " ", s.heavy[i].a, s.heavy[i].b);
  }
  lines.push_back(
      !principles.heavy_channels ? std::string("4 heavy channels: not looked for (D is off)")
      : s.heavy.empty()
          ? fmt::format("4 heavy channels (D): none above twice the median of {}",
                        rounded(s.typical))
          : fmt::format("4 heavy channels (D), above twice the median of {}: {}{}",
                        rounded(s.typical), channels, s.heavy.size() > 8 ? " ..." : ""));
  lines.push_back(fmt::format("5 processes and groups{}: {}",
                              principles.heavy_processes ? " by burden (C)" : " by rank",
                              named(s.order, 16)));
  std::string used;
  if (!has_clusters) used = by_host(problem, s.placement);
  for (const RankedCluster& c : s.clusters) {
    if (!has_clusters) break;
    std::vector<Rank> here;
    for (Rank p = 0; p < problem.size(); ++p) {
      if (problem.slots[s.placement[p]].cluster == c.cluster) here.push_back(p);
    }
    if (here.empty() || here.size() > 64) continue;
    const std::string& name = problem.clusters[c.cluster];
    used += fmt::format("{}{}: {}", used.empty() ? "" : "; ", name.empty() ? "all" : name,
                        fmt::join(here, " "));
  }
  lines.push_back(fmt::format("6 assigned in order{}{}", used.empty() ? "" : ": ", used));
  return lines;
}

}  // namespace

Selection select_topology(const map::Problem& problem, const Principles& principles) {
  Selection s;
  s.listed.resize(problem.slots.size());
  std::iota(s.listed.begin(), s.listed.end(), 0U);
  s.clusters = rank_clusters(problem, principles);
  s.sorted = principles.fewest_clusters || principles.nearest_clusters
                 ? slots_by_cluster(problem, s.clusters)
                 : s.listed;
  const Channels channels = weigh(problem, wide_area_path(problem, s.clusters));
  s.typical = channels.typical;
  s.burden = burdens(problem, channels);
  std::uint32_t largest = 1;
  for (const RankedCluster& c : s.clusters) largest = std::max(largest, c.slots);
  if (principles.heavy_channels) s.heavy = heavy_ones(channels);
  s.order = groups_of(problem.size(), s.heavy, largest);
  if (principles.heavy_processes) sort_units(s.order, s.burden);
  s.placement = assign(problem, s.sorted, s.order);
  s.explanation = explain(problem, principles, s);
  return s;
}

}  // namespace espalier::place
