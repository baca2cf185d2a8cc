#include "collective/machine_shape.hpp"

#include <algorithm>
#include <bit>

#include "cost/equal_parts.hpp"
#include "topology/transport.hpp"

namespace espalier::collective {
namespace {

using topology::Cluster;
using topology::Machine;
using topology::Member;

bool can_be_folded(const Machine& machine) {
  const auto clusters = machine.clusters();
  return clusters.size() > 1 && std::all_of(clusters.begin(), clusters.end(), [](const Cluster& c) {
           return c.pair_count == 0 && (c.depth == 0 || c.channel.backbone.unlimited());
         });
}

/// Whether all clusters of a depth are, and all processes.
bool are_alike(const Machine& machine, std::span<const std::uint32_t> classes) {
  const auto clusters = machine.clusters();
  const topology::Uplink& process = machine.leaf_uplink(0);
  std::vector<topology::ClusterId> first(machine.levels().size(), 0);  // 0: none
  for (topology::ClusterId id = 0; id < clusters.size(); ++id) {
    const Cluster& cluster = clusters[id];
    topology::ClusterId& like = first[cluster.depth];
    if (id != 0 && like == 0) like = id;
    if (classes[id] != classes[like] || (id != 0 && cluster.uplink != clusters[like].uplink)) {
      return false;
    }
    if (like != id) continue;  // its members are those of the first
    const bool is_innermost = cluster.depth + 1 == machine.levels().size();
    for (const Member& member : machine.members(cluster)) {
      if (member.is_leaf != is_innermost) return false;
      if (member.is_leaf && machine.leaf_uplink(member.id) != process) return false;
    }
  }
  return true;
}

bool has_shorter_detours(const Machine& machine) {
  std::vector<Time> least(machine.levels().size(), kForever);  // of the channels of a depth
  for (const Cluster& cluster : machine.clusters()) {
    least[cluster.depth] = std::min(least[cluster.depth], cluster.channel.latency);
  }
  for (std::size_t d = 1; d < least.size(); ++d) least[d] = std::min(least[d], least[d - 1]);
  return std::any_of(machine.clusters().begin(), machine.clusters().end(), [&](const Cluster& c) {
    return c.depth > 0 && 2 * least[c.depth - 1] < c.channel.latency;
  });
}

/// Number of innermost clusters, if ranks are dealt out to them in turn; else 0.
Rank dealt_to_clusters(const Machine& machine) {
  const topology::ClusterId first = machine.cluster_of(machine.leaf_of(0));
  Rank turn = 1;
  while (turn < machine.size() && machine.cluster_of(machine.leaf_of(turn)) != first) ++turn;
  if (turn == 1) return 0;
  const std::vector<topology::Leaf> dealt = topology::cyclic_placement(machine);
  for (Rank rank = 0; rank < machine.size(); ++rank) {
    if (machine.leaf_of(rank) != dealt[rank]) return 0;
  }
  return turn;
}

}  // namespace

std::uint32_t member_with(const Machine& machine, const Cluster& cluster, topology::Leaf leaf) {
  const auto members = machine.members(cluster);
  const auto holds = std::partition_point(members.begin(), members.end(), [&](const Member& m) {
    if (m.is_leaf) return m.id < leaf;
    const Cluster& inner = machine.clusters()[m.id];
    return inner.first_leaf + inner.leaf_count <= leaf;
  });
  return static_cast<std::uint32_t>(holds - members.begin());
}

MachineShape::MachineShape(const Machine& machine, std::span<const Rank> lowest_ranks)
    : has_detours(has_shorter_detours(machine)),
      smallest_outermost(machine.size()),
      can_fold(can_be_folded(machine)),
      least(machine) {
  const topology::NodeCosts& first = machine.costs(0);
  const topology::NodeCosts* before = &first;
  for (Rank rank = 0; rank < machine.size(); ++rank) {
    in_order = in_order && machine.leaf_of(rank) == rank;
    const std::uint64_t in_turn_on = std::uint64_t{machine.leaf_of(0)} + rank;
    in_turn = in_turn && machine.leaf_of(rank) == in_turn_on % machine.size();
    const topology::NodeCosts& here = machine.costs(rank);
    if (&here == before) continue;  // processes of the same figures share them, and their links
    const topology::Leaf leaf = machine.leaf_of(rank);
    equal_links =
        equal_links && machine.leaf_uplink(leaf) == machine.leaf_uplink(machine.leaf_of(0));
    before = &here;
    equal_senders = equal_senders && here.send == first.send;
    equal_takers = equal_takers && here.recv == first.recv && here.reduce == first.reduce;
    equal_nodes = equal_nodes && here == first;
  }
  const auto clusters = machine.clusters();
  for (const Cluster& cluster : clusters) {
    reaches_far = reaches_far || topology::kTransport.is_far(cluster.channel.latency);
  }
  std::vector<Rank> ranks_of(machine.levels().size(), 0);
  std::vector<const Cluster*> first_of(machine.levels().size(), nullptr);
  for (const Cluster& cluster : clusters) {
    const Cluster*& first_there = first_of[cluster.depth];
    if (first_there == nullptr) first_there = &cluster;
    equally_late = equally_late && cluster.uplink.latency == first_there->uplink.latency;
    Rank& ranks = ranks_of[cluster.depth];
    if (ranks == 0) ranks = cluster.leaf_count;
    const bool fits = std::has_single_bit(cluster.leaf_count) && cluster.leaf_count == ranks;
    const bool ends =
        cluster.depth + 1 == machine.levels().size() || !machine.members(cluster).front().is_leaf;
    is_aligned = is_aligned && (cluster.depth == 0 || fits) && ends;
  }
  is_aligned = is_aligned && in_order;
  if (!in_order) dealt_to = dealt_to_clusters(machine);
  for (const Member& member : machine.members(clusters.front())) {
    const Rank ranks = member.is_leaf ? 1 : clusters[member.id].leaf_count;
    largest_outermost = std::max(largest_outermost, ranks);
    smallest_outermost = std::min(smallest_outermost, ranks);
  }
  if (!can_fold) return;
  places.reserve(clusters.size());
  for (std::size_t id = 0; id < clusters.size(); ++id) {
    places.push_back(member_with(machine, clusters[id], machine.leaf_of(lowest_ranks[id])));
  }
  classes = cost::classes_of_clusters(machine, places);
  equal_parts = equal_nodes && are_alike(machine, classes);
  is_regular = in_order && equal_parts;
}

}  // namespace espalier::collective
