#include "topology/write_simgrid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "topology/simgrid/unique_names.hpp"

namespace espalier::topology {
namespace simgrid {
namespace {

/// With this many members or fewer every pair has its route; it is what people would write.
constexpr std::uint32_t kFewMembers = 8;

std::string to_xml(Bandwidth rate) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
  return rate.bits_per_second > kMost ? "1EBps" : fmt::format("{}bps", rate.bits_per_second);
}
std::string to_xml(Time time) { return fmt::format("{}ps", time.picoseconds); }
/// As SMPI reads it: from 0 bytes on, seconds and seconds a byte.
std::string to_xml(const Cost& cost) {
  const double per_byte =
      cost.rate.unlimited() ? 0.0 : 8.0 / static_cast<double>(cost.rate.bits_per_second);
  return fmt::format("0:{}e-12:{:.17g}", cost.fixed.picoseconds, per_byte);
}

/// What a route passes: a link, or one direction of it.
struct Pass {
  std::string link;
  const char* direction = "";  ///< UP or DOWN of a SPLITDUPLEX link
};
using Passes = std::vector<Pass>;

Pass reversed(const Pass& pass) {
  const std::string_view direction = pass.direction;
  return {pass.link, direction == "UP" ? "DOWN" : direction == "DOWN" ? "UP" : ""};
}

/// A member of a zone as its routes see it.
struct End {
  std::string id;
  std::string gateway;  ///< if it is a zone
  Passes up;
  Passes down;

  /// Whether a route can be taken back to front.
  [[nodiscard]] bool symmetrical() const {
    return std::equal(
        up.begin(), up.end(), down.begin(), down.end(), [](const Pass& a, const Pass& b) {
          return a.link == b.link && reversed(a).direction == std::string_view(b.direction);
        });
  }
};

class PlatformWriter {
 public:
  explicit PlatformWriter(const Machine& machine)
      : machine_(machine), names_(platform_names(machine)) {
    const auto placement = machine.placement();
    in_order_ = std::is_sorted(placement.begin(), placement.end());
  }

  std::string write() {
    line(0,
         "<?xml version=\"1.0\"?>\n"
         "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\">");
    zone(0);
    line(0, "</platform>");
    return std::move(out_);
  }

 private:
  void line(std::uint32_t depth, const std::string& text) {
    out_.append(2 * depth, ' ');
    out_ += text;
    out_ += '\n';
  }
  [[nodiscard]] const std::string& name(ClusterId id) const { return names_.zones[id]; }
  [[nodiscard]] std::string gateway(ClusterId id) const { return name(id) + "/gw"; }

  void host(std::uint32_t depth, Leaf leaf) {
    const NodeCosts& costs = machine_.leaf_costs(leaf);
    std::string props;
    const auto prop = [&](const char* id, const std::string& value) {
      props += fmt::format("<prop id=\"{}\" value=\"{}\"/>", id, value);
    };
    if (costs.send != Cost{}) {
      prop("smpi/os", to_xml(costs.send));
      prop("smpi/ois", to_xml(costs.send));  // of MPI_Isend
    }
    if (costs.recv != Cost{}) prop("smpi/or", to_xml(costs.recv));
    if (!costs.reduce.unlimited()) prop("espalier/reduce", to_xml(costs.reduce));
    if (!in_order_) prop("espalier/rank", fmt::format("{}", machine_.rank_at(leaf)));
    const std::uint64_t speed = std::max<std::uint64_t>(1, costs.speed_millionths);
    const std::string open =
        fmt::format("<host id=\"{}\" speed=\"{}kf\"", names_.hosts[leaf], speed);
    line(depth, props.empty() ? open + "/>" : open + ">" + props + "</host>");
  }

  void link(std::uint32_t depth, const std::string& id, Bandwidth rate, Time latency,
            const char* policy) {
    line(depth,
         fmt::format("<link id=\"{}\" bandwidth=\"{}\" latency=\"{}\" sharing_policy=\"{}\"/>", id,
                     to_xml(rate), to_xml(latency), policy));
  }

  /// The links of an uplink, and how routes pass them.
  void uplink(std::uint32_t depth, const std::string& id, const Uplink& uplink, End& end) {
    if (uplink == Uplink{}) return;
    if (uplink.half_duplex) {
      link(depth, id, uplink.out, uplink.latency, "SHARED");
      end.up = end.down = {{id}};
    } else if (uplink.out == uplink.in) {
      link(depth, id, uplink.out, uplink.latency, "SPLITDUPLEX");
      end.up = {{id, "UP"}};
      end.down = {{id, "DOWN"}};
    } else {
      link(depth, id + "-out", uplink.out, uplink.latency, "SHARED");
      link(depth, id + "-in", uplink.in, uplink.latency, "SHARED");
      end.up = {{id + "-out"}};
      end.down = {{id + "-in"}};
    }
  }

  void one_way(std::uint32_t depth, const End& from, const End& to, const Passes& passes,
               bool symmetrical) {
    const bool zones = !from.gateway.empty();
    std::string text =
        fmt::format("<{} src=\"{}\" dst=\"{}\"", zones ? "zoneRoute" : "route", from.id, to.id);
    if (zones) text += fmt::format(" gw_src=\"{}\" gw_dst=\"{}\"", from.gateway, to.gateway);
    text += symmetrical ? ">" : " symmetrical=\"NO\">";
    for (const Pass& pass : passes) {
      text += fmt::format("<link_ctn id=\"{}\"", pass.link);
      if (*pass.direction != '\0') text += fmt::format(" direction=\"{}\"", pass.direction);
      text += "/>";
    }
    line(depth, text + (zones ? "</zoneRoute>" : "</route>"));
  }

  /// Both ways between two members over `middle`, with their uplinks around it.
  void both_ways(std::uint32_t depth, const End& a, const End& b, const Passes& middle) {
    const auto way = [&](const End& from, const End& to, bool back) {
      Passes passes = from.up;
      for (const Pass& pass : middle) passes.push_back(back ? reversed(pass) : pass);
      passes.insert(passes.end(), to.down.begin(), to.down.end());
      return passes;
    };
    const bool symmetrical = a.symmetrical() && b.symmetrical();
    one_way(depth, a, b, way(a, b, false), symmetrical);
    if (!symmetrical) one_way(depth, b, a, way(b, a, true), false);
  }

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
    line(depth - 1, fmt::format("<zone id=\"{}\" routing=\"{}\">", name(id),
                                star  ? "Cluster"
                                : hub ? "DijkstraCache"
                                      : "Full"));
    if (cluster.member_count == 1) {
      // A zone with one member would be left out, and its level with it.
      line(depth, "<prop id=\"espalier/cluster\" value=\"1\"/>");
    }
    if (star) {
      write_star(id, depth);
    } else {
      write_routed(id, depth, hub);
    }
    line(depth - 1, "</zone>");
  }

  void write_star(ClusterId id, std::uint32_t depth) {
    const Cluster& cluster = machine_.clusters()[id];
    if (id != 0) line(depth, fmt::format("<router id=\"{}\"/>", gateway(id)));
    for (const Member& member : machine_.members(cluster)) {
      const std::string& host_id = names_.hosts[member.id];
      host(depth, member.id);
      End end;
      uplink(depth, host_id + "/link", machine_.leaf_uplink(member.id), end);
      if (end.up.empty()) {
        link(depth, host_id + "/link", kUnlimited, Time{0}, "FATPIPE");
        end.up = end.down = {{host_id + "/link"}};
      }
      const auto half = [](const Pass& pass) {
        return *pass.direction == '\0' ? pass.link : pass.link + "_" + pass.direction;
      };
      line(depth, fmt::format("<host_link id=\"{}\" up=\"{}\" down=\"{}\"/>", host_id,
                              half(end.up[0]), half(end.down[0])));
    }
    line(depth,
         fmt::format("<backbone id=\"{}/backbone\" bandwidth=\"{}\" latency=\"{}\"/>", name(id),
                     to_xml(cluster.channel.backbone), to_xml(cluster.channel.latency)));
  }

  /// A point without hosts: a router, in a zone of its own if the others are zones.
  End router(std::uint32_t depth, const std::string& id, bool zones) {
    const std::string element = fmt::format("<router id=\"{}\"/>", id);
    if (!zones) {
      line(depth, element);
      return {id, "", {}, {}};
    }
    line(depth, fmt::format("<zone id=\"{}-zone\" routing=\"Full\">{}</zone>", id, element));
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
    end.id = names_.hosts[member.id];
    if (!zones) {
      host(depth, member.id);
      return end;
    }
    end.gateway = end.id;
    end.id += "/zone";
    line(depth, fmt::format("<zone id=\"{}\" routing=\"Full\">", end.id));
    host(depth + 1, member.id);
    line(depth, "</zone>");
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
        uplink(depth, names_.hosts[member.id] + "/link", machine_.leaf_uplink(member.id), ends[m]);
      } else {
        Uplink own = machine_.clusters()[member.id].uplink;
        if (is_star(member.id)) {
          own.latency = own.latency - machine_.clusters()[member.id].channel.latency;
        }
        uplink(depth, name(member.id) + "/link", own, ends[m]);
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
    Passes backbone;            ///< none if it is unlimited
    Pass channel;               ///< latency and cap, between members
    Pass free;                  ///< nothing, where a route must not be empty
    std::vector<Passes> pairs;  ///< beside the cluster's pairs
  };

  Links write_links(ClusterId id, std::uint32_t depth) {
    const Cluster& cluster = machine_.clusters()[id];
    const Channel& channel = cluster.channel;
    Links links;
    const std::string base = name(id);
    if (!channel.backbone.unlimited()) {
      link(depth, base + "/backbone", channel.backbone, Time{0}, "SHARED");
      links.backbone = {{base + "/backbone"}};
    }
    link(depth, base + "/channel", channel.flow_cap, channel.latency, "FATPIPE");
    links.channel = {base + "/channel"};
    link(depth, base + "/free", kUnlimited, Time{0}, "FATPIPE");
    links.free = {base + "/free"};
    const bool capped = !channel.flow_cap.unlimited() && cluster.pair_count > 0;
    if (capped) link(depth, base + "/cap", channel.flow_cap, Time{0}, "FATPIPE");
    for (const PairLink& pair : machine_.pairs(cluster)) {
      const std::string pair_id = fmt::format("{}/pair-{}-{}", base, pair.a, pair.b);
      const bool own = !pair.capacity.unlimited();
      link(depth, pair_id, pair.capacity, pair.latency, own ? "SPLITDUPLEX" : "FATPIPE");
      Passes passes = {own ? Pass{pair_id, "UP"} : Pass{pair_id}};
      if (capped) passes.push_back({base + "/cap"});
      links.pairs.push_back(std::move(passes));
    }
    return links;
  }

  static Passes join(Passes first, const Passes& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
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
        both_ways(depth, ends[a], ends[b], join(links.backbone, middle));
      }
      if (!gw) continue;
      const bool empty = links.backbone.empty() && ends[a].up.empty();
      both_ways(depth, ends[a], *gw, empty ? Passes{links.free} : links.backbone);
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
      one_way(depth, end, up, padded(join(end.up, links.backbone), 1), false);
      one_way(depth, down, end, padded(end.down, 1), false);
    }
    one_way(depth, up, down, padded({links.channel}, core), false);
    if (gw) {
      one_way(depth, up, *gw, padded({}, core), false);
      one_way(depth, *gw, down, padded(links.backbone, 1), false);
    }
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      const End& a = ends[pairs[p].a];
      const End& b = ends[pairs[p].b];
      Passes middle = join(links.backbone, links.pairs[p]);
      middle = padded(middle, kPair - a.up.size() - b.down.size());
      both_ways(depth, a, b, middle);
    }
  }

  const Machine& machine_;
  PlatformNames names_;
  bool in_order_ = true;
  std::string out_;
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
