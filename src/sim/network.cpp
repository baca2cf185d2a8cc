#include "sim/network.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/contract.hpp"

namespace espalier::sim {

using topology::Cluster;
using topology::Machine;
using topology::Member;
using topology::PairLink;

namespace {

void cross(ResourceId resource, Route& route) {
  if (resource != kNoResource) route.resources.push_back(resource);
}

}  // namespace

Network::Network(const Machine& machine) {
  std::uint32_t deepest = 0;
  for (const Cluster& c : machine.clusters()) {
    const auto id = static_cast<ClusterId>(clusters_.size());
    deepest = std::max(deepest, c.depth);
    ClusterNode node{c.parent,
                     c.index,
                     c.depth,
                     add({Resource::Kind::Backbone, id, 0, 0, c.channel.backbone}),
                     {},
                     c.channel.latency,
                     c.channel.flow_cap,
                     static_cast<std::uint32_t>(pairs_.size()),
                     c.pair_count};
    if (id != 0) node.uplink = add_uplink(c.uplink, false, id);
    for (const PairLink& p : machine.pairs(c)) {
      pairs_.push_back({p.a, p.b, add({Resource::Kind::PairForth, id, p.a, p.b, p.capacity}),
                        add({Resource::Kind::PairBack, id, p.a, p.b, p.capacity}), p.latency});
    }
    clusters_.push_back(node);
  }
  ranks_.reserve(machine.size());
  for (Rank r = 0; r < machine.size(); ++r) {
    const Leaf leaf = machine.leaf_of(r);
    ranks_.push_back({machine.cluster_of(leaf), machine.index_in_cluster(leaf),
                      add_uplink(machine.leaf_uplink(leaf), true, leaf)});
  }
  // Both sides: a leaf's uplink, and backbone and uplink of each cluster left; then the meeting
  // place's backbone and pair.
  longest_route_ = 2 * (1 + 2 * std::size_t{deepest}) + 2;
}

ResourceId Network::add(Resource resource) {
  if (resource.capacity.unlimited()) return kNoResource;
  resources_.push_back(resource);
  return static_cast<ResourceId>(resources_.size() - 1);
}

Network::Uplink Network::add_uplink(const topology::Uplink& uplink, bool of_leaf,
                                    std::uint32_t id) {
  using Kind = Resource::Kind;
  if (uplink.half_duplex) {
    const ResourceId both =
        add({of_leaf ? Kind::LeafBoth : Kind::ClusterBoth, id, 0, 0, uplink.out});
    return {both, both, uplink.latency};
  }
  const ResourceId out = add({of_leaf ? Kind::LeafOut : Kind::ClusterOut, id, 0, 0, uplink.out});
  const ResourceId in = add({of_leaf ? Kind::LeafIn : Kind::ClusterIn, id, 0, 0, uplink.in});
  return {out, in, uplink.latency};
}

void Network::find_route(Rank from, Rank to, Route& route) const {
  expects(from < ranks_.size() && to < ranks_.size(), "Network::find_route: no such rank");
  route.resources.clear();
  route.cap = kUnlimited;
  route.latency = Time{0};
  const LeafNode& a = ranks_[from];
  const LeafNode& b = ranks_[to];
  if (from == to) {
    route.level = clusters_[a.cluster].depth + 1;
    return;
  }
  ClusterId up = a.cluster;
  ClusterId down = b.cluster;
  std::uint32_t up_index = a.index;
  std::uint32_t down_index = b.index;
  Time latency = a.uplink.latency + b.uplink.latency;
  cross(a.uplink.out, route);
  cross(b.uplink.in, route);
  while (up != down) {
    // Whoever is deeper climbs; at equal depth the sender's side does, and the other follows.
    const bool sender_climbs = clusters_[up].depth >= clusters_[down].depth;
    const ClusterNode& left = clusters_[sender_climbs ? up : down];
    cross(left.backbone, route);
    cross(sender_climbs ? left.uplink.out : left.uplink.in, route);
    latency += left.uplink.latency;
    (sender_climbs ? up : down) = left.parent;
    (sender_climbs ? up_index : down_index) = left.index;
  }
  const ClusterNode& meeting = clusters_[up];
  cross(meeting.backbone, route);
  route.level = meeting.depth;
  route.cap = meeting.flow_cap;
  route.latency = meeting.latency;
  if (meeting.pair_count != 0) cross_pair(meeting, up_index, down_index, route);
  route.latency += latency;
}

void Network::cross_pair(const ClusterNode& meeting, std::uint32_t x, std::uint32_t y,
                         Route& route) const {
  const auto first = pairs_.begin() + meeting.first_pair;
  const auto last = first + meeting.pair_count;
  const std::pair key{std::min(x, y), std::max(x, y)};
  const auto it = std::lower_bound(
      first, last, key, [](const PairNode& p, const auto& k) { return std::pair(p.a, p.b) < k; });
  if (it == last || std::pair(it->a, it->b) != key) return;
  cross(x < y ? it->forth : it->back, route);
  route.latency = it->latency;
}

namespace {

std::string name_of_member(const Machine& machine, const Member& member) {
  if (member.is_leaf) return machine.describe(machine.rank_at(member.id));
  std::string text;
  for (std::uint32_t id = member.id; id != 0; id = machine.clusters()[id].parent) {
    const Cluster& c = machine.clusters()[id];
    const std::string own = c.name.empty() ? fmt::format("{}", c.index) : c.name;
    text = text.empty() ? own : own + "." + text;
  }
  return text.empty() ? "the whole machine" : text;
}

}  // namespace

std::string describe(const Resource& resource, const Machine& machine) {
  using Kind = Resource::Kind;
  const auto leaf = [&] { return name_of_member(machine, {true, resource.id}); };
  const auto cluster = [&] { return name_of_member(machine, {false, resource.id}); };
  const auto member = [&](std::uint32_t index) {
    return name_of_member(machine, machine.members(machine.clusters()[resource.id])[index]);
  };
  switch (resource.kind) {
    case Kind::LeafOut:
      return "uplink out of " + leaf();
    case Kind::LeafIn:
      return "uplink into " + leaf();
    case Kind::LeafBoth:
      return "uplink of " + leaf();
    case Kind::ClusterOut:
      return "uplink out of " + cluster();
    case Kind::ClusterIn:
      return "uplink into " + cluster();
    case Kind::ClusterBoth:
      return "uplink of " + cluster();
    case Kind::Backbone:
      return "backbone of " + cluster();
    case Kind::PairForth:
      return "link from " + member(resource.a) + " to " + member(resource.b);
    case Kind::PairBack:
      return "link from " + member(resource.b) + " to " + member(resource.a);
  }
  return {};
}

}  // namespace espalier::sim
