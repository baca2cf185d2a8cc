#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "topology/simgrid/platform_text.hpp"
#include "topology/writers.hpp"

namespace espalier::topology {
namespace simgrid {
namespace {

/// With this many members or fewer every pair has its route; it is what people would write.
constexpr std::uint32_t kFewMembers = 8;

class PlatformWriter {
 public:
  explicit PlatformWriter(const Machine& machine) : machine_(machine), text_(machine) {}

  std::string write() {
    text_.begin();
    zone(0);
    return text_.end();
  }

 private:
  [[nodiscard]] const std::string& name(ClusterId id) const { return text_.zone_name(id); }
  [[nodiscard]] std::string gateway(ClusterId id) const { return name(id) + "/gw"; }

  /// A star is exact if nothing but the channel's latency tells members from outside: it is paid on
  /// the way out too, so the uplink of the cluster must have at least as much to give.
  [[nodiscard]] bool is_star(ClusterId id) const {
    const Cluster& c = machine_.clusters()[id];
    return only_leaves(id) && c.member_count > kFewMembers && c.pair_count == 0 &&
           c.channel.flow_cap.unlimited() && (id == 0 || c.uplink.latency >= c.channel.latency);
  }
  [[nodiscard]] bool only_leaves(ClusterId id) const {
    const auto members = machine_.members(machine_.clusters()[id]);
    return std::all_of(members.begin(), members.end(), [](const Member& m) { return m.is_leaf; });
  }

  void zone(ClusterId id) {
    const Cluster& cluster = machine_.clusters()[id];
    const std::uint32_t depth = cluster.depth + 1;
    const bool star = is_star(id);
    const bool hub = !star && cluster.member_count > kFewMembers;
    text_.line(depth - 1, fmt::format("<zone id=\"{}\" routing=\"{}\">", name(id),
                                      star  ? "Cluster"
                                      : hub ? "DijkstraCache"
                                            : "Full"));
    if (cluster.member_count == 1) {
      // A zone with one member would be left out, and its level with it.
      text_.line(depth, "<prop id=\"espalier/cluster\" value=\"1\"/>");
    }
    if (star) {
      write_star(id, depth);
    } else {
      write_routed(id, depth, hub);
    }
    text_.line(depth - 1, "</zone>");
  }

  void write_star(ClusterId id, std::uint32_t depth) {
    const Cluster& cluster = machine_.clusters()[id];
    if (id != 0) text_.line(depth, fmt::format("<router id=\"{}\"/>", gateway(id)));
    for (const Member& member : machine_.members(cluster)) {
      const std::string& host_id = text_.host_name(member.id);
      text_.host(depth, member.id);
      End end;
      text_.uplink(depth, host_id + "/link", machine_.leaf_uplink(member.id), end);
      if (end.up.empty()) {
        text_.pipe(depth, host_id + "/link", kUnlimited, Time{0});
        end.up = end.down = {{host_id + "/link"}};
      }
      const auto half = [](const Pass& pass) {
        return *pass.direction == '\0' ? pass.link : pass.link + "_" + pass.direction;
      };
      text_.line(depth, fmt::format("<host_link id=\"{}\" up=\"{}\" down=\"{}\"/>", host_id,
                                    half(end.up[0]), half(end.down[0])));
    }
    text_.line(depth, fmt::format("<backbone id=\"{}/backbone\" bandwidth=\"{}\" latency=\"{}\"/>",
                                  name(id), to_xml(cluster.channel.backbone),
                                  to_xml(cluster.channel.latency)));
  }

  /// A point without hosts: a router, in a zone of its own if the others are zones.
  End router(std::uint32_t depth, const std::string& id, bool zones) {
    const std::string element = fmt::format("<router id=\"{}\"/>", id);
    if (!zones) {
      text_.line(depth, element);
      return {id, "", {}, {}};
    }
    text_.line(depth, fmt::format("<zone id=\"{}-zone\" routing=\"Full\">{}</zone>", id, element));
    return {id + "-zone", id, {}, {}};
  }

  End add_member(std::uint32_t depth, const Member& member, bool zones) {
    End end;
    if (!member.is_leaf) {
      zone(member.id);
      end.id = name(member.id);
      end.gateway = gateway(member.id);
      return end;
    }
    end.id = text_.host_name(member.id);
    if (!zones) {
      text_.host(depth, member.id);
      return end;
    }
    end.gateway = end.id;
    end.id += "/zone";
    text_.line(depth, fmt::format("<zone id=\"{}\" routing=\"Full\">", end.id));
    text_.host(depth + 1, member.id);
    text_.line(depth, "</zone>");
    return end;
  }

  void write_routed(ClusterId id, std::uint32_t depth, bool hub) {
    const Cluster& cluster = machine_.clusters()[id];
    const bool zones = !only_leaves(id);
    std::vector<End> ends;
    for (const Member& member : machine_.members(cluster)) {
      ends.push_back(add_member(depth, member, zones));
    }
    std::optional<End> gw, up, down;
    if (id != 0) gw = router(depth, gateway(id), zones);
    if (hub) up = router(depth, name(id) + "/up", zones);
    if (hub) down = router(depth, name(id) + "/down", zones);

    for (std::size_t m = 0; m < ends.size(); ++m) {
      const Member& member = machine_.members(cluster)[m];
      if (member.is_leaf) {
        text_.uplink(depth, text_.host_name(member.id) + "/link", machine_.leaf_uplink(member.id),
                     ends[m]);
      } else {
        Uplink own = machine_.clusters()[member.id].uplink;
        if (is_star(member.id)) {
          own.latency = own.latency - machine_.clusters()[member.id].channel.latency;
        }
        text_.uplink(depth, name(member.id) + "/link", own, ends[m]);
      }
    }
    const Links links = write_links(id, depth);
    if (hub) {
      write_hub(id, depth, ends, *up, *down, gw, links);
    } else {
      write_all_routes(id, depth, ends, gw, links);
    }
  }

  /// What the routes of a cluster pass besides uplinks.
  struct Links {
    Passes backbone;  ///< empty if the backbone is unlimited
    Pass channel;     ///< link with the latency and the flow cap of the channel
    Pass free;        ///< link without limits, for routes that would be empty
    std::vector<Passes>
        pairs;  ///< [pair] links of each direct connection, in the order of Machine::pairs
  };

  Links write_links(ClusterId id, std::uint32_t depth) {
    const Channel& channel = machine_.clusters()[id].channel;
    Links links;
    const std::string base = name(id);
    links.backbone = text_.backbone(depth, id);
    text_.pipe(depth, base + "/channel", channel.flow_cap, channel.latency);
    links.channel = {base + "/channel"};
    text_.pipe(depth, base + "/free", kUnlimited, Time{0});
    links.free = {base + "/free"};
    const bool capped = !channel.flow_cap.unlimited() && machine_.clusters()[id].pair_count > 0;
    if (capped) text_.pipe(depth, base + "/cap", channel.flow_cap, Time{0});
    for (const Pass& pair : text_.pairs(depth, id)) {
      links.pairs.push_back(capped ? Passes{pair, {base + "/cap"}} : Passes{pair});
    }
    return links;
  }

  /// A route for each pair of members, and for each member to the gateway.
  void write_all_routes(ClusterId id, std::uint32_t depth, const std::vector<End>& ends,
                        const std::optional<End>& gw, const Links& links) {
    const auto pairs = machine_.pairs(machine_.clusters()[id]);
    std::size_t next_pair = 0;
    for (std::uint32_t a = 0; a < ends.size(); ++a) {
      for (std::uint32_t b = a + 1; b < ends.size(); ++b) {
        const bool own =
            next_pair < pairs.size() && pairs[next_pair].a == a && pairs[next_pair].b == b;
        const Passes middle = own ? links.pairs[next_pair++] : Passes{links.channel};
        text_.both_ways(depth, ends[a], ends[b], join(links.backbone, middle));
      }
      if (!gw) continue;
      const bool empty = links.backbone.empty() && ends[a].up.empty();
      text_.both_ways(depth, ends[a], *gw, empty ? Passes{links.free} : links.backbone);
    }
  }

  /// The shortest ways over two routers, one for messages on their way up and one for those on
  /// their way down:  a -> up -> down -> b,  a -> up -> gw,  gw -> down -> b.  So the channel's
  /// latency is paid between members only. Pairs have routes of their own. SimGrid counts the links
  /// of a route to find the shortest; empty ones are added so that what should be taken is shorter:
  ///   a -> up, gw -> down: 1 or 2    down -> b: 1    up -> down: kCore    up -> gw: kCore
  ///   a -> b of a pair: kPair < 2 + kCore, and twice that is more than any way over the routers
  void write_hub(ClusterId id, std::uint32_t depth, const std::vector<End>& ends, const End& up,
                 const End& down, const std::optional<End>& gw, const Links& links) {
    constexpr std::size_t kCore = 5;
    constexpr std::size_t kPair = 6;
    const auto pairs = machine_.pairs(machine_.clusters()[id]);
    const auto padded = [&](Passes passes, std::size_t length) {
      while (passes.size() < length) passes.push_back(links.free);
      return passes;
    };
    const std::size_t core = pairs.empty() ? 1 : kCore;
    for (const End& end : ends) {
      text_.one_way(depth, end, up, padded(join(end.up, links.backbone), 1), false);
      text_.one_way(depth, down, end, padded(end.down, 1), false);
    }
    text_.one_way(depth, up, down, padded({links.channel}, core), false);
    if (gw) {
      text_.one_way(depth, up, *gw, padded({}, core), false);
      text_.one_way(depth, *gw, down, padded(links.backbone, 1), false);
    }
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      const End& a = ends[pairs[p].a];
      const End& b = ends[pairs[p].b];
      Passes middle = join(links.backbone, links.pairs[p]);
      middle = padded(middle, kPair - a.up.size() - b.down.size());
      text_.both_ways(depth, a, b, middle);
    }
  }

  const Machine& machine_;
  PlatformText text_;
};

}  // namespace
}  // namespace simgrid

std::string write_simgrid(const Machine& machine) {
  return simgrid::PlatformWriter(machine).write();
}

std::vector<std::string> simgrid_hosts(const Machine& machine) {
  const simgrid::PlatformNames names = simgrid::platform_names(machine);
  std::vector<std::string> hosts;
  for (Rank rank = 0; rank < machine.size(); ++rank) {
    hosts.push_back(names.hosts[machine.leaf_of(rank)]);
  }
  return hosts;
}

}  // namespace espalier::topology
