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
