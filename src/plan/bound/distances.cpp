#include "bound/distances.hpp"

#include <algorithm>

namespace espalier::bound {

using topology::Cluster;
using topology::ClusterId;
using topology::Leaf;
using topology::Machine;
using topology::Member;

Distances::Distances(const Machine& machine) : machine_(machine) {
  leaf_latency_.reserve(machine.size());
  for (Leaf leaf = 0; leaf < machine.size(); ++leaf) {
    leaf_latency_.push_back(machine.leaf_uplink(leaf).latency);
  }
  std::size_t members = 0;
  for (const Cluster& cluster : machine.clusters()) members += cluster.member_count;
  first_neighbour_.assign(members + 1, 0);
  for (const Cluster& cluster : machine.clusters()) {
    for (const topology::PairLink& pair : machine.pairs(cluster)) {
      ++first_neighbour_[cluster.first_member + pair.a + 1];
      ++first_neighbour_[cluster.first_member + pair.b + 1];
    }
  }
  for (std::size_t m = 0; m < members; ++m) first_neighbour_[m + 1] += first_neighbour_[m];
  neighbours_.resize(first_neighbour_.back());
  std::vector<std::uint32_t> next = first_neighbour_;
  for (const Cluster& cluster : machine.clusters()) {
    for (const topology::PairLink& pair : machine.pairs(cluster)) {
      neighbours_[next[cluster.first_member + pair.a]++] = {pair.b, pair.latency};
      neighbours_[next[cluster.first_member + pair.b]++] = {pair.a, pair.latency};
    }
  }
}

std::vector<Time> Distances::between(const Cluster& cluster, std::uint32_t member) const {
  std::vector<Time> latency(cluster.member_count, cluster.channel.latency);
  const std::size_t m = std::size_t{cluster.first_member} + member;
  for (std::uint32_t n = first_neighbour_[m]; n < first_neighbour_[m + 1]; ++n) {
    latency[neighbours_[n].member] = neighbours_[n].latency;
  }
  return latency;
}

std::vector<Time> Distances::from(Rank source) const {
  const auto clusters = machine_.clusters();
  const Leaf own = machine_.leaf_of(source);
  std::vector<Time> latency(machine_.size(), Time{0});
  // From the source to the inside of each cluster that it is not in.
  std::vector<Time> entered(clusters.size(), kForever);
  std::vector<bool> is_around(clusters.size(), false);
  Time climbed = leaf_latency_[own];
  std::uint32_t came_from = machine_.index_in_cluster(own);
  for (ClusterId c = machine_.cluster_of(own);; c = clusters[c].parent) {
    const Cluster& cluster = clusters[c];
    is_around[c] = true;
    const std::vector<Time> over = between(cluster, came_from);
    const auto members = machine_.members(cluster);
    for (std::uint32_t m = 0; m < cluster.member_count; ++m) {
      if (m == came_from) continue;
      const Time there = climbed + over[m];
      if (members[m].is_leaf) {
        latency[machine_.rank_at(members[m].id)] = there + leaf_latency_[members[m].id];
      } else {
        entered[members[m].id] = there + clusters[members[m].id].uplink.latency;
      }
    }
    if (c == 0) break;
    climbed += cluster.uplink.latency;
    came_from = cluster.index;
  }
  // A cluster comes after the one that it is in.
  for (ClusterId c = 1; c < clusters.size(); ++c) {
    const ClusterId parent = clusters[c].parent;
    if (!is_around[parent]) entered[c] = entered[parent] + clusters[c].uplink.latency;
  }
  for (Leaf leaf = 0; leaf < machine_.size(); ++leaf) {
    const ClusterId c = machine_.cluster_of(leaf);
    if (!is_around[c]) latency[machine_.rank_at(leaf)] = entered[c] + leaf_latency_[leaf];
  }
  return latency;
}

/// [member] the least latency to another member with the least sum inside it.
std::vector<Time> Distances::least_of_others(const Cluster& cluster, const Nearest& found) const {
  const auto members = machine_.members(cluster);
  std::vector<Time> least(cluster.member_count, kForever);
  if (cluster.pair_count > 0) {
    for (std::uint32_t m = 0; m < cluster.member_count; ++m) {
      const std::vector<Time> over = between(cluster, m);
      for (std::uint32_t other = 0; other < cluster.member_count; ++other) {
        if (other != m) least[m] = std::min(least[m], over[other] + found[members[other]].inside);
      }
    }
    return least;
  }
  // Everybody's is the least of all but his own: the second least for whoever has the least.
  Time first = kForever, second = kForever;
  for (const Member& member : members) {
    const Time inside = found[member].inside;
    second = std::min(second, std::max(first, inside));
    first = std::min(first, inside);
  }
  for (std::uint32_t m = 0; m < cluster.member_count; ++m) {
    least[m] = cluster.channel.latency + (found[members[m]].inside == first ? second : first);
  }
  return least;
}

Nearest Distances::nearest(const std::vector<Time>& cost) const {
  const auto clusters = machine_.clusters();
  Nearest found;
  found.clusters.resize(clusters.size());
  found.leaves.resize(machine_.size());
  for (Leaf leaf = 0; leaf < machine_.size(); ++leaf) {
    found.leaves[leaf].inside = cost[machine_.rank_at(leaf)] + leaf_latency_[leaf];
  }
  for (std::size_t c = clusters.size(); c-- > 0;) {
    Time least = kForever;
    for (const Member& m : machine_.members(clusters[c])) least = std::min(least, found[m].inside);
    found.clusters[c].inside = least + clusters[c].uplink.latency;
  }
  for (ClusterId c = 0; c < clusters.size(); ++c) {
    const Time above = c == 0 ? kForever : clusters[c].uplink.latency + found.clusters[c].outside;
    const std::vector<Time> beside = least_of_others(clusters[c], found);
    const auto members = machine_.members(clusters[c]);
    for (std::uint32_t m = 0; m < clusters[c].member_count; ++m) {
      auto& part = members[m].is_leaf ? found.leaves[members[m].id] : found.clusters[members[m].id];
      part.outside = std::min(above, beside[m]);
    }
  }
  return found;
}

}  // namespace espalier::bound
