#include "lab/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace espalier::lab {
namespace {

using topology::Cluster;
using topology::ClusterId;
using topology::Machine;
using topology::Member;
using topology::Uplink;

/// A part of the machine and what it hangs on.
struct MachinePart {
  Member member;
  ClusterId parent;
  std::uint32_t index;  ///< index among the parent's members
};

class LabPlanner {
 public:
  LabPlanner(const Machine& machine, std::vector<LabHost> hosts) : machine_(machine) {
    plan_.hosts = std::move(hosts);
  }

  LabPlan plan() {
    const std::size_t n = plan_.hosts.size();
    plan_.routes.resize(n * n);
    for (std::size_t from = 0; from < n; ++from) {
      for (std::size_t to = 0; to < n; ++to) {
        if (from != to) plan_.routes[from * n + to] = route(from, to);
      }
    }
    return std::move(plan_);
  }

 private:
  [[nodiscard]] const Cluster& cluster(ClusterId id) const { return machine_.clusters()[id]; }

  [[nodiscard]] MachinePart part(Member m) const {
    if (m.is_leaf) return {m, machine_.cluster_of(m.id), machine_.index_in_cluster(m.id)};
    return {m, cluster(m.id).parent, cluster(m.id).index};
  }

  [[nodiscard]] std::string channel_name(std::uint32_t level) const {
    const std::string& name = machine_.levels()[level].channel;
    return name.empty() ? fmt::format("level{}", level) : name;
  }

  std::uint32_t link(LabLink wanted) {
    const auto [it, is_new] =
        index_.try_emplace(wanted.name, static_cast<std::uint32_t>(plan_.links.size()));
    if (is_new) plan_.links.push_back(std::move(wanted));
    return it->second;
  }

  std::uint32_t uplink(const MachinePart& p, bool outwards) {
    const Uplink& up =
        p.member.is_leaf ? machine_.leaf_uplink(p.member.id) : cluster(p.member.id).uplink;
    const char* direction = up.half_duplex ? "both" : outwards ? "out" : "in";
    return link({.name = fmt::format("{}:{}", path_name(machine_, p.member), direction),
                 .kind = LinkKind::Uplink,
                 .level = cluster(p.parent).depth,
                 .delay = up.latency,
                 .rate = outwards ? up.out : up.in});
  }

  std::uint32_t backbone(ClusterId id) {
    return link({.name = fmt::format("{}:backbone", path_name(machine_, {false, id})),
                 .kind = LinkKind::Backbone,
                 .level = cluster(id).depth,
                 .delay = {},
                 .rate = cluster(id).channel.backbone});
  }

  std::uint32_t way(const MachinePart& from, const MachinePart& to) {
    const Cluster& meeting = cluster(from.parent);
    LabLink made{
        .name = fmt::format("{}:{}>{}", channel_name(meeting.depth),
                            path_name(machine_, from.member), path_name(machine_, to.member)),
        .kind = LinkKind::Way,
        .level = meeting.depth,
        .delay = meeting.channel.latency,
        .flow_cap = meeting.channel.flow_cap};
    const auto [low, high] = std::minmax(from.index, to.index);
    for (const topology::PairLink& pair : machine_.pairs(meeting)) {
      if (pair.a != low || pair.b != high) continue;
      made.delay = pair.latency;
      made.rate = pair.capacity;
    }
    return link(std::move(made));
  }

  /// Climbs one step: the uplink of the part, and its parent's backbone if the frame leaves it.
  MachinePart climb(const MachinePart& p, bool outwards, std::vector<std::uint32_t>& passed) {
    passed.push_back(uplink(p, outwards));
    passed.push_back(backbone(p.parent));
    return part({.is_leaf = false, .id = p.parent});
  }

  std::vector<std::uint32_t> route(std::size_t from, std::size_t to) {
    MachinePart a = part(plan_.hosts[from].place);
    MachinePart b = part(plan_.hosts[to].place);
    std::vector<std::uint32_t> up;
    std::vector<std::uint32_t> down;
    while (a.parent != b.parent) {
      const bool a_is_deeper = cluster(a.parent).depth >= cluster(b.parent).depth;
      const bool b_is_deeper = cluster(b.parent).depth >= cluster(a.parent).depth;
      if (a_is_deeper) a = climb(a, true, up);
      if (b_is_deeper) b = climb(b, false, down);
    }
    up.push_back(uplink(a, true));
    up.push_back(backbone(a.parent));
    up.push_back(way(a, b));
    up.push_back(uplink(b, false));
    up.insert(up.end(), down.rbegin(), down.rend());
    return up;
  }

  const Machine& machine_;
  LabPlan plan_;
  std::map<std::string, std::uint32_t> index_;
};

}  // namespace

Time LabPlan::delay(std::size_t from, std::size_t to) const {
  Time sum;
  for (const std::uint32_t l : route(from, to)) sum += links[l].delay;
  return sum;
}

Expected<LabPlan> plan_lab(const Machine& machine) {
  auto hosts = hosts_of(machine);
  if (!hosts) return hosts.error();
  return LabPlanner(machine, *std::move(hosts)).plan();
}

}  // namespace espalier::lab
