#include "place/build_inventory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "topology/machine_spec.hpp"

namespace espalier::place {
namespace {

using topology::MemberSpec;

/// Names of clusters in the order in which hosts, then descriptions, first name them.
std::vector<std::string> cluster_order(const InventorySpec& spec) {
  std::vector<std::string> order;
  std::set<std::string> seen;
  for (const HostSpec& h : spec.hosts) {
    if (seen.insert(h.host.cluster).second) order.push_back(h.host.cluster);
  }
  return order;
}

MemberSpec host_member(const HostSpec& h) {
  MemberSpec member;
  member.where = h.where;
  member.name = h.host.name;
  member.costs.speed_millionths = h.host.speed_millionths;
  MemberSpec slots;
  slots.where = h.where;
  slots.count = h.host.slots;
  member.members.push_back(std::move(slots));
  return member;
}

Expected<bool> check_hosts(const InventorySpec& spec) {
  if (spec.hosts.empty()) return Error{spec.where, "no host", "list at least one"};
  std::set<std::string> names;
  for (const HostSpec& h : spec.hosts) {
    if (!is_host_name(h.host.name)) {
      return Error{h.where, fmt::format("\"{}\" is no name of a host", h.host.name.substr(0, 60)),
                   "letters, digits, dots, dashes and underscores; no dash first"};
    }
    if (!names.insert(h.host.name).second) {
      return Error{h.where, fmt::format("host \"{}\" stands twice", h.host.name),
                   "give it more slots instead"};
    }
    if (h.host.slots == 0) {
      return Error{h.where, fmt::format("host \"{}\" has no slots", h.host.name),
                   "leave it out, or say that it is down"};
    }
  }
  return true;
}

topology::LevelSpec level(std::string channel, std::string members, topology::Channel figures,
                          topology::Uplink uplink) {
  return {{std::move(channel), std::move(members)}, figures, uplink};
}

/// Clusters as members of the whole machine, or hosts alone if there is but one nameless cluster.
Expected<topology::MachineSpec> machine_spec(const InventorySpec& spec,
                                             const std::vector<std::string>& order) {
  topology::MachineSpec machine;
  machine.where = spec.where;
  machine.name = spec.name;
  machine.whole.where = spec.where;
  machine.whole.costs.send = spec.send;
  machine.whole.costs.recv = spec.recv;
  std::map<std::string, std::size_t> place;
  for (const std::string& name : order) {
    place[name] = machine.whole.members.size();
    MemberSpec cluster;
    cluster.where = spec.where;
    cluster.name = name.empty() && order.size() > 1 ? "others" : name;
    machine.whole.members.push_back(std::move(cluster));
  }
  for (const HostSpec& h : spec.hosts) {
    machine.whole.members[place[h.host.cluster]].members.push_back(host_member(h));
  }
  for (const ClusterSpec& c : spec.clusters) {
    if (!place.contains(c.name)) {
      return Error{c.where, fmt::format("cluster \"{}\" has no host", c.name),
                   "name it in the hosts' \"cluster\""};
    }
    MemberSpec& member = machine.whole.members[place[c.name]];
    if (c.channel) {
      member.channel = {c.channel->latency, c.channel->backbone, c.channel->flow_cap};
    }
    member.uplink = c.uplink;
  }
  std::set<std::pair<std::string, std::string>> linked;
  for (const LinkSpec& link : spec.links) {
    if (!place.contains(link.a) || !place.contains(link.b) || link.a == link.b) {
      return Error{link.where, fmt::format("a link between \"{}\" and \"{}\"", link.a, link.b),
                   "name two clusters that have hosts"};
    }
    if (!linked.insert(std::minmax(link.a, link.b)).second) {
      return Error{link.where,
                   fmt::format("the link between \"{}\" and \"{}\" stands twice", link.a, link.b),
                   "keep one of them"};
    }
    machine.whole.pairs.push_back({link.where, link.a, link.b, link.latency, link.capacity});
  }
  if (order.size() == 1 && order[0].empty()) {
    const auto hosts = std::move(machine.whole.members[0].members);
    machine.whole.members = hosts;
    machine.levels = {level("lan", "host", spec.inside, spec.port),
                      level("memory", "slot", spec.memory, {})};
  } else {
    machine.levels = {level("wan", "cluster", spec.between, spec.uplink),
                      level("lan", "host", spec.inside, spec.port),
                      level("memory", "slot", spec.memory, {})};
  }
  return machine;
}

}  // namespace

bool is_host_name(std::string_view name) {
  // Launchers would take one that begins with "-" for an option.
  return !name.empty() && name.size() < 256 && name.front() != '-' &&
         name.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._") ==
             std::string_view::npos;
}

Expected<map::Inventory> build_inventory(InventorySpec spec) {
  if (auto good = check_hosts(spec); !good) return good.error();
  const std::vector<std::string> order = cluster_order(spec);
  auto described = machine_spec(spec, order);
  if (!described) return described.error();
  auto machine = topology::build_machine(*described);
  if (!machine) return machine.error();
  map::Inventory inventory{spec.name, std::move(*machine), {}, std::move(spec.notes)};
  // Slots lie along the tree: cluster by cluster, in each the hosts as listed.
  topology::Leaf next = 0;
  std::vector<topology::Leaf> first(spec.hosts.size());
  for (const std::string& cluster : order) {
    for (std::size_t h = 0; h < spec.hosts.size(); ++h) {
      if (spec.hosts[h].host.cluster != cluster) continue;
      first[h] = next;
      next += spec.hosts[h].host.slots;
    }
  }
  for (std::size_t h = 0; h < spec.hosts.size(); ++h) {
    inventory.hosts.push_back(std::move(spec.hosts[h].host));
    inventory.hosts.back().first_leaf = first[h];
  }
  return inventory;
}

}  // namespace espalier::place
