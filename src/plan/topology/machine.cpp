#include "topology/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/contract.hpp"
#include "base/random.hpp"

namespace espalier::topology {
namespace {

/// One side of a path: climbs from a leaf to the channel where both sides meet.
struct Climber {
  const Machine& machine;
  ClusterId cluster;
  std::uint32_t index;  // of what we came from, among the members of `cluster`
  Time latency;
  Bandwidth narrowest;

  void leave_cluster(bool outwards) {
    const Cluster& c = machine.clusters()[cluster];
    narrowest = std::min({narrowest, c.channel.backbone, outwards ? c.uplink.out : c.uplink.in});
    latency += c.uplink.latency;
    index = c.index;
    cluster = c.parent;
  }
  [[nodiscard]] std::uint32_t depth() const { return machine.clusters()[cluster].depth; }
};

Climber climber(const Machine& machine, Leaf leaf, bool outwards) {
  const Uplink& uplink = machine.leaf_uplink(leaf);
  return {machine, machine.cluster_of(leaf), machine.index_in_cluster(leaf), uplink.latency,
          outwards ? uplink.out : uplink.in};
}

const PairLink* find_pair(std::span<const PairLink> pairs, std::uint32_t x, std::uint32_t y) {
  const std::pair<std::uint32_t, std::uint32_t> key{std::min(x, y), std::max(x, y)};
  const auto it =
      std::lower_bound(pairs.begin(), pairs.end(), key,
                       [](const PairLink& p, const auto& k) { return std::pair(p.a, p.b) < k; });
  return it != pairs.end() && it->a == key.first && it->b == key.second ? &*it : nullptr;
}

}  // namespace

std::span<const Member> Machine::members(const Cluster& c) const {
  return std::span(members_).subspan(c.first_member, c.member_count);
}

std::span<const PairLink> Machine::pairs(const Cluster& c) const {
  return std::span(pairs_).subspan(c.first_pair, c.pair_count);
}

const std::string& Machine::leaf_name(Leaf leaf) const {
  static const std::string kNone;
  return leaf_names_.empty() ? kNone : leaf_names_[leaf];
}

const Uplink& Machine::leaf_uplink(Leaf leaf) const {
  return profiles_[leaves_[leaf].profile].uplink;
}

const NodeCosts& Machine::leaf_costs(Leaf leaf) const {
  return profiles_[leaves_[leaf].profile].costs;
}

std::uint32_t Machine::depth(Rank rank) const {
  return clusters_[cluster_of(leaf_of(rank))].depth + 1;
}

std::vector<ClusterId> Machine::clusters_of(Rank rank) const {
  std::vector<ClusterId> chain;
  for (ClusterId c = cluster_of(leaf_of(rank)); c != 0; c = clusters_[c].parent) chain.push_back(c);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

std::vector<std::uint32_t> Machine::cluster_ids(Rank rank) const {
  std::vector<std::uint32_t> ids;
  for (const ClusterId c : clusters_of(rank)) ids.push_back(ordinal_[c]);
  ids.push_back(leaf_ordinal_[leaf_of(rank)]);
  return ids;
}

std::vector<std::uint32_t> Machine::member_path(Rank rank) const {
  std::vector<std::uint32_t> path;
  for (const ClusterId c : clusters_of(rank)) path.push_back(clusters_[c].index);
  path.push_back(index_in_cluster(leaf_of(rank)));
  return path;
}

std::string Machine::describe(Rank rank) const {
  std::string text;
  for (const ClusterId c : clusters_of(rank)) {
    const Cluster& cluster = clusters_[c];
    text += (cluster.name.empty() ? fmt::format("{}", cluster.index) : cluster.name) + ".";
  }
  const Leaf leaf = leaf_of(rank);
  const std::string& own = leaf_name(leaf);
  return text + (own.empty() ? fmt::format("{}", index_in_cluster(leaf)) : own);
}

Path Machine::path(Rank from, Rank to) const {
  expects(from < size() && to < size(), "Machine::path: no such rank");
  if (from == to) return {depth(from), Time{0}, kUnlimited};
  Climber a = climber(*this, leaf_of(from), true);
  Climber b = climber(*this, leaf_of(to), false);
  while (a.depth() > b.depth()) a.leave_cluster(true);
  while (b.depth() > a.depth()) b.leave_cluster(false);
  while (a.cluster != b.cluster) {
    a.leave_cluster(true);
    b.leave_cluster(false);
  }
  const Cluster& meeting = clusters_[a.cluster];
  const Channel& channel = meeting.channel;
  Path path{meeting.depth, channel.latency,
            std::min({a.narrowest, b.narrowest, channel.backbone, channel.flow_cap})};
  if (const PairLink* pair = find_pair(pairs(meeting), a.index, b.index)) {
    path.latency = pair->latency;
    path.bandwidth = std::min(path.bandwidth, pair->capacity);
  }
  path.latency += a.latency + b.latency;
  return path;
}

Machine with_placement(Machine machine, std::span<const Leaf> leaf_of_rank) {
  const Rank size = machine.size();
  expects(leaf_of_rank.size() == size, "with_placement: not one leaf for each rank");
  std::vector<Rank> rank_of_leaf(size, kNoRank);
  for (Rank rank = 0; rank < size; ++rank) {
    expects(leaf_of_rank[rank] < size && rank_of_leaf[leaf_of_rank[rank]] == kNoRank,
            "with_placement: not a permutation of the leaves");
    rank_of_leaf[leaf_of_rank[rank]] = rank;
  }
  machine.leaf_of_rank_.assign(leaf_of_rank.begin(), leaf_of_rank.end());
  machine.rank_of_leaf_ = std::move(rank_of_leaf);
  return machine;
}

std::vector<Leaf> block_placement(const Machine& machine) {
  std::vector<Leaf> leaves(machine.size());
  std::iota(leaves.begin(), leaves.end(), Leaf{0});
  return leaves;
}

std::vector<Leaf> cyclic_placement(const Machine& machine) {
  // The leaves of each innermost cluster, then one from each in turn.
  std::vector<std::vector<Leaf>> piles;
  std::vector<std::uint32_t> pile_of(machine.clusters().size(), kNoRank);
  for (Leaf leaf = 0; leaf < machine.size(); ++leaf) {
    std::uint32_t& pile = pile_of[machine.cluster_of(leaf)];
    if (pile == kNoRank) {
      pile = static_cast<std::uint32_t>(piles.size());
      piles.emplace_back();
    }
    piles[pile].push_back(leaf);
  }
  std::vector<Leaf> leaves;
  leaves.reserve(machine.size());
  for (std::size_t round = 0; leaves.size() < machine.size(); ++round) {
    for (const auto& pile : piles) {
      if (round < pile.size()) leaves.push_back(pile[round]);
    }
  }
  return leaves;
}

std::vector<Leaf> random_placement(const Machine& machine, std::uint64_t seed) {
  std::vector<Leaf> leaves = block_placement(machine);
  Random(seed).shuffle(std::span(leaves));
  return leaves;
}

}  // namespace espalier::topology
