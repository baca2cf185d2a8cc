#include "collective/hierarchy.hpp"

#include <algorithm>

namespace espalier::collective {

using topology::Cluster;
using topology::ClusterId;
using topology::Leaf;
using topology::Member;

namespace {

std::vector<Rank> lowest_ranks(const topology::Machine& machine) {
  std::vector<Rank> lowest(machine.clusters().size(), kNoRank);
  for (Rank rank = 0; rank < machine.size(); ++rank) {
    ClusterId c = machine.cluster_of(machine.leaf_of(rank));
    // Ranks come in rising order, so a cluster that has a master has the lowest.
    while (lowest[c] == kNoRank) {
      lowest[c] = rank;
      c = machine.clusters()[c].parent;
    }
  }
  return lowest;
}

/// A message for which latencies and bandwidths count about alike.
constexpr Bytes kOnAnEdge{65536};
constexpr Rank kChainedUpTo = 64;

Time edge_time(const topology::Path& path) {
  return path.latency + transfer_time(kOnAnEdge, path.bandwidth);
}

/// Times of that message between the members of a cluster, by index.
class MemberTimes {
 public:
  MemberTimes(const topology::Machine& machine, const Cluster& cluster,
              const std::vector<Rank>& lowest_rank)
      : size_(cluster.member_count) {
    std::vector<Rank> ranks;
    for (const Member& member : machine.members(cluster)) {
      ranks.push_back(member.is_leaf ? machine.rank_at(member.id) : lowest_rank[member.id]);
    }
    for (const Rank from : ranks) {
      for (const Rank to : ranks) {
        times_.push_back(from == to ? Time{} : edge_time(machine.path(from, to)));
      }
    }
  }
  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] Time time(std::uint32_t from, std::uint32_t to) const {
    return times_[std::size_t{from} * size_ + to];
  }
  /// The longest edge, and all of them.
  [[nodiscard]] std::pair<Time, Time> length(const std::vector<std::uint32_t>& way) const {
    Time longest{}, all{};
    for (std::size_t i = 0; i + 1 < way.size(); ++i) {
      longest = std::max(longest, time(way[i], way[i + 1]));
      all = all + time(way[i], way[i + 1]);
    }
    return {longest, all};
  }

 private:
  std::uint32_t size_;
  std::vector<Time> times_;
};

/// Always to the nearest member that is left.
std::vector<std::uint32_t> nearest_first(const MemberTimes& edges, std::uint32_t first) {
  std::vector<std::uint32_t> way{first}, left;
  for (std::uint32_t m = 0; m < edges.size(); ++m) {
    if (m != first) left.push_back(m);
  }
  while (!left.empty()) {
    const auto next = std::min_element(left.begin(), left.end(), [&](auto a, auto b) {
      return edges.time(way.back(), a) < edges.time(way.back(), b);
    });
    way.push_back(*next);
    left.erase(next);
  }
  return way;
}

/// The best of three ways: to the nearest, as the members are listed, and the other way round.
std::vector<std::uint32_t> chain_through(const MemberTimes& edges, std::uint32_t first) {
  std::vector<std::uint32_t> best = nearest_first(edges, first);
  std::vector<std::uint32_t> way;
  for (std::uint32_t m = 0; m < edges.size(); ++m) way.push_back((first + m) % edges.size());
  if (edges.length(way) < edges.length(best)) best = way;
  std::reverse(way.begin() + 1, way.end());
  if (edges.length(way) < edges.length(best)) best = way;
  return best;
}

}  // namespace

Hierarchy::Hierarchy(const topology::Machine& machine)
    : machine_(machine),
      lowest_rank_(lowest_ranks(machine)),
      shape_(machine, lowest_rank_),
      group_sizes_(machine.levels().size()) {
  for (const Cluster& cluster : machine.clusters()) {
    std::vector<Rank>& sizes = group_sizes_[cluster.depth];
    const auto size = static_cast<Rank>(cluster.member_count);
    const auto at = std::lower_bound(sizes.begin(), sizes.end(), size);
    if (at == sizes.end() || *at != size) sizes.insert(at, size);
    if (cluster.pair_count == 0 || size > kChainedUpTo) continue;
    const MemberTimes edges(machine, cluster, lowest_rank_);
    auto& chains = chains_[static_cast<ClusterId>(&cluster - machine.clusters().data())];
    for (std::uint32_t first = 0; first < size; ++first) {
      chains.push_back(chain_through(edges, first));
    }
  }
}

bool Hierarchy::contains(ClusterId cluster, Rank rank) const {
  const Cluster& c = machine_.clusters()[cluster];
  const Leaf leaf = machine_.leaf_of(rank);
  return leaf >= c.first_leaf && leaf - c.first_leaf < c.leaf_count;
}

Rank Hierarchy::master(ClusterId cluster, Rank root) const {
  return contains(cluster, root) ? root : lowest_rank_[cluster];
}

std::vector<Rank> Hierarchy::masters_of_members(ClusterId cluster, Rank root) const {
  std::vector<Rank> masters;
  const Cluster& c = machine_.clusters()[cluster];
  masters.reserve(c.member_count);
  for (const Member& member : machine_.members(c)) {
    masters.push_back(member.is_leaf ? machine_.rank_at(member.id) : master(member.id, root));
  }
  const auto first = std::find(masters.begin(), masters.end(), master(cluster, root));
  std::rotate(masters.begin(), first, masters.end());
  return masters;
}

std::span<const std::uint32_t> Hierarchy::chain_from(ClusterId cluster, std::uint32_t first) const {
  const auto found = chains_.find(cluster);
  if (found == chains_.end()) return {};
  return found->second[first];
}

std::vector<ClusterId> Hierarchy::groups_of(Rank rank, Rank root) const {
  std::vector<ClusterId> groups;
  ClusterId c = machine_.cluster_of(machine_.leaf_of(rank));
  groups.push_back(c);
  while (c != 0 && master(c, root) == rank) {
    c = machine_.clusters()[c].parent;
    groups.push_back(c);
  }
  std::reverse(groups.begin(), groups.end());
  return groups;
}

}  // namespace espalier::collective
