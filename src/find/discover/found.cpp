#include "discover/found.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

namespace espalier::discover {
namespace {

constexpr std::size_t kMostForPairs = 8;
constexpr std::int64_t kPairPercent = 15;

using Links = std::vector<LinkSeen>;

/// Traffic of others makes links longer, never shorter.
Time least_of(const Links& links) {
  std::vector<Time> latencies;
  for (const LinkSeen& link : links) latencies.push_back(link.latency);
  return least(latencies);
}

void add_pairs(FoundCluster& cluster,
               const std::map<std::pair<std::uint32_t, std::uint32_t>, Links>& between) {
  for (const auto& [pair, links] : between) {
    const Time latency = least_of(links);
    const std::int64_t off = std::abs((latency - cluster.latency).picoseconds);
    if (off * 100 > cluster.latency.picoseconds * kPairPercent) {
      cluster.pairs.push_back({pair.first, pair.second, latency, kUnlimited});
    }
  }
}

FoundCluster found_in(const LinkCluster& seen, const Links& links, std::vector<std::uint32_t>& of) {
  FoundCluster found;
  found.nodes = seen.nodes;
  if (seen.is_node()) return found;
  for (std::uint32_t i = 0; i < seen.members.size(); ++i) {
    for (const Node node : seen.members[i].nodes) of[node] = i;
  }
  std::vector<Links> inside(seen.members.size());
  std::map<std::pair<std::uint32_t, std::uint32_t>, Links> between;
  for (const LinkSeen& link : links) {
    if (of[link.a] == of[link.b]) {
      inside[of[link.a]].push_back(link);
    } else {
      between[std::minmax(of[link.a], of[link.b])].push_back(link);
    }
  }
  std::vector<Time> latencies;
  for (const auto& [pair, seen_between] : between) latencies.push_back(least_of(seen_between));
  found.latency = middle(latencies);
  if (seen.members.size() > 2 && seen.members.size() <= kMostForPairs) add_pairs(found, between);
  for (std::size_t i = 0; i < seen.members.size(); ++i) {
    found.members.push_back(found_in(seen.members[i], inside[i], of));
  }
  return found;
}

void collect_levels(FoundCluster& cluster, std::size_t depth,
                    std::vector<std::vector<FoundCluster*>>& levels) {
  if (cluster.is_node()) return;
  if (levels.size() <= depth) levels.resize(depth + 1);
  levels[depth].push_back(&cluster);
  for (FoundCluster& member : cluster.members) collect_levels(member, depth + 1, levels);
}

}  // namespace

FoundCluster with_latencies(const Survey& survey) {
  std::vector<std::uint32_t> member_of(survey.round_trips.nodes());
  return found_in(survey.clusters, survey.links, member_of);
}

std::vector<std::vector<FoundCluster*>> by_depth(FoundCluster& whole) {
  std::vector<std::vector<FoundCluster*>> levels;
  collect_levels(whole, 0, levels);
  return levels;
}

}  // namespace espalier::discover
