#include "simgrid_check/platform.hpp"

#include <map>
#include <string>
#include <vector>

#include "simgrid_check/versions.hpp"

namespace espalier::simgrid_check {
namespace {

using topology::Cluster;
using topology::Machine;
using topology::PairLink;

constexpr double kWide = 1e17;  // bytes a second: no limit, even for all flows together

double seconds_of(Time t) { return static_cast<double>(t.picoseconds) * 1e-12; }
double bytes_of(Bandwidth b) { return static_cast<double>(b.bits_per_second) / 8; }

/// Links by name, made when first asked for.
class Links {
 public:
  explicit Links(s4u::NetZone* zone) : zone_(zone) {}

  s4u::Link* get(const std::string& name, double bytes_per_second, double latency,
                 s4u::Link::SharingPolicy policy) {
    s4u::Link*& link = links_[name];
    if (link == nullptr) {
      link = add_link(zone_, name, bytes_per_second);
      link->set_latency(latency);
      link->set_sharing_policy(policy);
      link->seal();
    }
    return link;
  }
  void shared(std::vector<s4u::LinkInRoute>& route, const std::string& name, Bandwidth capacity) {
    if (capacity.unlimited()) return;
    route.emplace_back(get(name, bytes_of(capacity), 0, s4u::Link::SharingPolicy::SHARED));
  }

 private:
  s4u::NetZone* zone_;
  std::map<std::string, s4u::Link*> links_;
};

/// The clusters of a rank, innermost first, the whole machine last.
std::vector<std::uint32_t> ancestry(const Machine& machine, Rank rank) {
  std::vector<std::uint32_t> chain;
  std::uint32_t id = machine.cluster_of(machine.leaf_of(rank));
  chain.push_back(id);
  while (id != 0) chain.push_back(id = machine.clusters()[id].parent);
  return chain;
}

void add_uplink(Links& links, std::vector<s4u::LinkInRoute>& route, const topology::Uplink& uplink,
                const std::string& name, bool out) {
  const std::string direction = uplink.half_duplex ? "-both" : out ? "-out" : "-in";
  links.shared(route, name + direction, out ? uplink.out : uplink.in);
}

/// Everything with a capacity between two ranks; what limits a flow alone as well.
std::vector<s4u::LinkInRoute> route_between(Links& links, const Machine& machine, Rank from,
                                            Rank to) {
  std::vector<s4u::LinkInRoute> route;
  const auto source = ancestry(machine, from);
  const auto target = ancestry(machine, to);
  const auto cluster_name = [](std::uint32_t c) { return "cluster" + std::to_string(c); };
  // How many clusters both are in, from the outside.
  std::size_t common = 0;
  while (common < source.size() && common < target.size() &&
         source[source.size() - 1 - common] == target[target.size() - 1 - common]) {
    ++common;
  }
  const std::uint32_t meeting = source[source.size() - common];
  std::vector<std::uint32_t> members;  // of the meeting place, on the two sides
  for (const bool out : {true, false}) {
    const Rank rank = out ? from : to;
    const auto& chain = out ? source : target;
    const topology::Leaf leaf = machine.leaf_of(rank);
    add_uplink(links, route, machine.leaf_uplink(leaf), "leaf" + std::to_string(leaf), out);
    std::uint32_t member = machine.index_in_cluster(leaf);
    for (std::size_t i = 0; i + common < chain.size(); ++i) {
      const Cluster& left = machine.clusters()[chain[i]];
      links.shared(route, cluster_name(chain[i]) + "-backbone", left.channel.backbone);
      add_uplink(links, route, left.uplink, cluster_name(chain[i]), out);
      member = left.index;
    }
    members.push_back(member);
  }
  const Cluster& where = machine.clusters()[meeting];
  links.shared(route, cluster_name(meeting) + "-backbone", where.channel.backbone);
  for (const PairLink& pair : machine.pairs(where)) {
    const bool forth = pair.a == members[0] && pair.b == members[1];
    const bool back = pair.a == members[1] && pair.b == members[0];
    if (!forth && !back) continue;
    links.shared(route,
                 cluster_name(meeting) + "-pair-" + std::to_string(members[0]) + "-" +
                     std::to_string(members[1]),
                 pair.capacity);
  }
  if (!where.channel.flow_cap.unlimited()) {
    route.emplace_back(links.get(cluster_name(meeting) + "-cap", bytes_of(where.channel.flow_cap),
                                 0, s4u::Link::SharingPolicy::FATPIPE));
  }
  return route;
}

}  // namespace

void build_platform(const Machine& machine, Weights weights, const LatencyOf& latency_of) {
  s4u::NetZone* zone = make_full_zone("machine");
  std::vector<s4u::Host*> hosts;
  for (Rank r = 0; r < machine.size(); ++r) {
    hosts.push_back(add_host(zone, "r" + std::to_string(r), 1e9));
  }
  Links links(zone);
  // Not FATPIPE, of whose flows SimGrid takes quadratic time.
  const auto policy = s4u::Link::SharingPolicy::SHARED;
  for (Rank a = 0; a < machine.size(); ++a) {
    for (Rank b = 0; b < machine.size(); ++b) {
      if (a == b) continue;
      auto route = route_between(links, machine, a, b);
      const Time latency = machine.path(a, b).latency;
      route.emplace_back(weights == Weights::Equal
                             ? links.get("wire", kWide, 1, policy)
                             : links.get("wire" + std::to_string(latency.picoseconds), kWide,
                                         seconds_of(latency), policy));
      add_route(zone, hosts[a], hosts[b], route);
    }
  }
  if (weights == Weights::Equal) {
    set_latency_factor(zone, [latency_of](double, const s4u::Host* from, const s4u::Host* to,
                                          const std::vector<s4u::Link*>&,
                                          const std::unordered_set<s4u::NetZone*>&) {
      const auto rank_of = [](const s4u::Host* host) {
        return static_cast<Rank>(std::stoul(host->get_name().substr(1)));
      };
      return from == to ? 0.0 : latency_of(rank_of(from), rank_of(to));
    });
  }
  zone->seal();
}

}  // namespace espalier::simgrid_check
