#include "sim/network.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/contract.hpp"

namespace espalier::sim {

using topology::Cluster;
using topology::Machine;
using topology::Member;
using topology::PairLink;

Network::Network(const Machine& machine) {
  std::uint32_t deepest = 0;
  for (const Cluster& c : machine.clusters()) {
    const auto id = static_cast<ClusterId>(clusters_.size());
    deepest = std::max(deepest, c.depth);
    ClusterNode node;
    node.depth = c.depth;
    node.backbone = add({Resource::Kind::Backbone, id, 0, 0, c.channel.backbone});
    node.latency = c.channel.latency;
    node.flow_cap = c.channel.flow_cap;
    node.first_pair = static_cast<std::uint32_t>(pairs_.size());
    node.pair_count = c.pair_count;
    longest_latency_ = std::max(longest_latency_, node.latency);
    clusters_.push_back(node);
    add_climbs(machine, id, id == 0 ? Uplink{} : add_uplink(c.uplink, false, id));
    for (const PairLink& p : machine.pairs(c)) {
      longest_latency_ = std::max(longest_latency_, p.latency);
      pairs_.push_back({p.a, p.b, add({Resource::Kind::PairForth, id, p.a, p.b, p.capacity}),
                        add({Resource::Kind::PairBack, id, p.a, p.b, p.capacity}), p.latency});
    }
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

/// What is passed on the way up from a cluster: itself, then as from its parent, which is there
/// already since clusters are in depth-first order.
void Network::add_climbs(const Machine& machine, ClusterId id, const Uplink& uplink) {
  ClusterNode& node = clusters_[id];
  node.first_climb = static_cast<std::uint32_t>(climbs_.size());
  node.first_out = static_cast<std::uint32_t>(outs_.size());
  node.first_in = static_cast<std::uint32_t>(ins_.size());
  climbs_.push_back({id, 0, 0, 0, Time{0}});
  if (id == 0) return;
  for (const ResourceId out : {node.backbone, uplink.out}) {
    if (out != kNoResource) outs_.push_back(out);
  }
  for (const ResourceId in : {node.backbone, uplink.in}) {
    if (in != kNoResource) ins_.push_back(in);
  }
  const auto own_outs = static_cast<std::uint32_t>(outs_.size()) - node.first_out;
  const auto own_ins = static_cast<std::uint32_t>(ins_.size()) - node.first_in;
  const Cluster& c = machine.clusters()[id];
  const ClusterNode parent = clusters_[c.parent];
  for (std::uint32_t k = 0; k <= parent.depth; ++k) {
    Climb climb = climbs_[parent.first_climb + k];
    if (k == 0) climb.index = c.index;
    climb.outs += own_outs;
    climb.ins += own_ins;
    climb.latency += uplink.latency;
    climbs_.push_back(climb);
  }
  const Climb all = climbs_[parent.first_climb + parent.depth];
  for (std::uint32_t i = 0; i < all.outs; ++i) outs_.push_back(outs_[parent.first_out + i]);
  for (std::uint32_t i = 0; i < all.ins; ++i) ins_.push_back(ins_[parent.first_in + i]);
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
  if (route.storage_.size() < longest_route_) route.storage_.resize(longest_route_);
  route.count_ = 0;
  const LeafNode& a = ranks_[from];
  const LeafNode& b = ranks_[to];
  if (from == to) {
    route.level = clusters_[a.cluster].depth + 1;
    route.cap = kUnlimited;
    route.latency = Time{0};
    return;
  }
  const ClusterNode& source = clusters_[a.cluster];
  const ClusterNode& target = clusters_[b.cluster];
  const std::uint32_t depth = std::min(source.depth, target.depth);
  const Climb* up = &climbs_[source.first_climb + source.depth - depth];
  const Climb* down = &climbs_[target.first_climb + target.depth - depth];
  while (up->at != down->at) {
    ++up;
    ++down;
  }
  route.cross(a.uplink.out);
  route.cross(b.uplink.in);
  for (std::uint32_t i = 0; i < up->outs; ++i) route.cross(outs_[source.first_out + i]);
  for (std::uint32_t i = 0; i < down->ins; ++i) route.cross(ins_[target.first_in + i]);
  const ClusterNode& meeting = clusters_[up->at];
  route.cross(meeting.backbone);
  route.level = meeting.depth;
  route.cap = meeting.flow_cap;
  route.latency = meeting.latency;
  if (meeting.pair_count != 0) {
    cross_pair(meeting, up->at == a.cluster ? a.index : up->index,
               down->at == b.cluster ? b.index : down->index, route);
  }
  route.latency += a.uplink.latency + up->latency + b.uplink.latency + down->latency;
}

void Network::cross_pair(const ClusterNode& meeting, std::uint32_t x, std::uint32_t y,
                         Route& route) const {
  const auto first = pairs_.begin() + meeting.first_pair;
  const auto last = first + meeting.pair_count;
  const std::pair key{std::min(x, y), std::max(x, y)};
  const auto it = std::lower_bound(
      first, last, key, [](const PairNode& p, const auto& k) { return std::pair(p.a, p.b) < k; });
  if (it == last || std::pair(it->a, it->b) != key) return;
  route.cross(x < y ? it->forth : it->back);
  route.latency = it->latency;
}

namespace {

std::string name_of_member(const Machine& machine, const Member& member) {
  if (member.is_leaf) return machine.describe(machine.rank_at(member.id));
  std::string text;
  for (std::uint32_t id = member.id; id != 0; id = machine.clusters()[id].parent) {
    const Cluster& c = machine.clusters()[id];
    const std::string own = c.name.empty() ? fmt::format("{}", c.index) : c.name;
    text = text.empty() ? own : fmt::format("{}.{}", own, text);
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
