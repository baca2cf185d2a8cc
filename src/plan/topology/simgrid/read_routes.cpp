#include <fmt/format.h>

#include <algorithm>

#include "topology/simgrid/read_parts.hpp"

namespace espalier::topology::simgrid {
namespace {

/// Links in the order of the route, and what it takes on its way back.
struct Ways {
  std::vector<LinkId> there;
  std::vector<LinkId> back;
};

Expected<Ways> read_links(Reading& in, const pugi::xml_node& node) {
  Ways ways;
  for (const pugi::xml_node& part : node.children()) {
    if (part.type() != pugi::node_element) continue;
    if (std::string_view(part.name()) != "link_ctn") {
      return Error{in.source.where(part), fmt::format("found <{:.60}> in a route", part.name()),
                   "expected <link_ctn id=\"...\"/>"};
    }
    auto id = in.source.required(part, "id");
    if (!id) return id.error();
    const std::string_view direction = part.attribute("direction").value();
    const bool plain = direction.empty() || direction == "NONE";
    if (!plain && direction != "UP" && direction != "DOWN") {
      return Error{in.source.where(part), fmt::format("direction \"{:.60}\"", direction),
                   "expected UP, DOWN or NONE"};
    }
    const LinkId link = in.builder.find_link(plain ? *id : *id + "_" + std::string(direction));
    if (link == kNone) {
      const bool split = in.builder.find_link(*id + "_UP") != kNone;
      return Error{in.source.where(part),
                   fmt::format("no link \"{:.60}\"{}{}", *id, plain ? "" : " with a direction ",
                               plain ? "" : direction),
                   split && plain ? "it is SPLITDUPLEX: say direction=\"UP\" or \"DOWN\""
                   : plain        ? "declare it with <link>"
                                  : "only a SPLITDUPLEX link has directions"};
    }
    ways.there.push_back(link);
    // Named without a direction, a half is a link like any other and is taken both ways.
    ways.back.push_back(plain ? link : in.builder.platform().links[link].back);
  }
  std::reverse(ways.back.begin(), ways.back.end());
  return ways;
}

/// Whether `point` is, or lies in, the zone or host `outer`.
bool lies_in(const Platform& platform, PointId point, PointId outer) {
  while (point != outer) {
    const ZoneId zone = platform.points[point].zone;
    if (zone == kNone) return false;
    point = platform.zones[zone].point;
  }
  return true;
}

/// A member of `zone` that a route names.
Expected<PointId> read_end(Reading& in, const pugi::xml_node& node, const char* attribute,
                           ZoneId zone) {
  auto id = in.source.required(node, attribute);
  if (!id) return id.error();
  const PointId point = in.builder.find_point(*id);
  const Platform& platform = in.builder.platform();
  if (point != kNone && platform.points[point].zone == zone) return point;
  return Error{in.source.where(node),
               fmt::format("{} \"{:.60}\" is not in zone \"{:.60}\"", attribute, *id,
                           platform.zones[zone].name),
               point == kNone ? "nothing has that id"
                              : "a route joins two members of the zone that it stands in"};
}

Expected<PointId> read_gateway(Reading& in, const pugi::xml_node& node, const char* attribute,
                               PointId end) {
  if (in.builder.platform().points[end].kind != PointKind::Zone) return end;
  auto id = in.source.required(node, attribute);
  if (!id) return id.error();
  const PointId gateway = in.builder.find_point(*id);
  const Platform& platform = in.builder.platform();
  const bool fits = gateway != kNone && platform.points[gateway].kind != PointKind::Zone &&
                    lies_in(platform, gateway, end);
  if (fits) return gateway;
  return Error{in.source.where(node),
               fmt::format("{} \"{:.60}\" is no host or router in zone \"{:.60}\"", attribute, *id,
                           platform.points[end].name),
               gateway == kNone ? "nothing has that id; the router of a <cluster> is called "
                                  "PREFIX + id + \"_router\" + SUFFIX"
                                : "a gateway lies in the zone that the route leads to"};
}

Loopback loopback_of(const Platform& platform, const std::vector<LinkId>& links) {
  Loopback loopback{Time{0}, kUnlimited, true};
  for (const LinkId id : links) {
    const Link& link = platform.links[id];
    loopback.latency += link.latency;
    loopback.bandwidth = std::min(loopback.bandwidth, link.bandwidth);
    loopback.fatpipe = loopback.fatpipe && link.fatpipe;
  }
  return loopback;
}

Failure read_host_link(Reading& in, const pugi::xml_node& node, ZoneId zone) {
  auto host = read_end(in, node, "id", zone);
  if (!host) return host.error();
  if (in.builder.zone(zone).routing != Routing::Star) {
    return Error{in.source.where(node), "a <host_link> in a zone that is no cluster",
                 "it may stand in a <zone routing=\"Cluster\">"};
  }
  Arms arms;
  for (const char* direction : {"up", "down"}) {
    auto id = in.source.required(node, direction);
    if (!id) return id.error();
    const LinkId link = in.builder.find_link(*id);
    if (link == kNone) {
      return Error{in.source.where(node), fmt::format("{}: no link \"{:.60}\"", direction, *id),
                   "the halves of a SPLITDUPLEX link x are called x_UP and x_DOWN"};
    }
    (std::string_view(direction) == "up" ? arms.up : arms.down) = {link};
  }
  const Zone& star = in.builder.zone(zone);
  arms.up.insert(arms.up.end(), star.centre.begin(), star.centre.end());
  arms.down.insert(arms.down.begin(), star.centre.begin(), star.centre.end());
  arms.gateway = *host;
  in.builder.zone(zone).arms[in.builder.platform().points[*host].index] = std::move(arms);
  return {};
}

Expected<bool> read_symmetrical(Reading& in, const pugi::xml_node& node) {
  const std::string_view text = node.attribute("symmetrical").value();
  if (text.empty() || text == "YES" || text == "yes") return true;
  if (text == "NO" || text == "no") return false;
  return Error{in.source.where(node), fmt::format("symmetrical \"{:.60}\"", text),
               "expected YES or NO"};
}

}  // namespace

Failure read_route(Reading& in, const pugi::xml_node& node, ZoneId zone) {
  if (std::string_view(node.name()) == "host_link") return read_host_link(in, node, zone);
  auto from = read_end(in, node, "src", zone);
  if (!from) return from.error();
  auto to = read_end(in, node, "dst", zone);
  if (!to) return to.error();
  auto gateway_from = read_gateway(in, node, "gw_src", *from);
  if (!gateway_from) return gateway_from.error();
  auto gateway_to = read_gateway(in, node, "gw_dst", *to);
  if (!gateway_to) return gateway_to.error();
  auto symmetrical = read_symmetrical(in, node);
  if (!symmetrical) return symmetrical.error();
  auto ways = read_links(in, node);
  if (!ways) return ways.error();

  const Platform& platform = in.builder.platform();
  const Point& a = platform.points[*from];
  const Point& b = platform.points[*to];
  if (*from == *to) {
    // Between the processes of one host. That of a zone is never taken: they meet further in.
    if (a.kind == PointKind::Host) in.builder.host(a).loopback = loopback_of(platform, ways->there);
    return {};
  }
  const Routing routing = platform.zones[zone].routing;
  if (routing == Routing::None || routing == Routing::Star) {
    return Error{
        in.source.where(node),
        fmt::format("a route in zone \"{:.60}\", whose routing is {}", platform.zones[zone].name,
                    routing == Routing::None ? "None" : "Cluster"),
        "choose routing \"Full\", \"Floyd\" or \"Dijkstra\""};
  }
  const std::uint32_t line = in.source.line(node);
  in.builder.add_edge(zone, {a.index, b.index, *gateway_from, *gateway_to, 0, 0, line},
                      ways->there);
  if (*symmetrical) {
    in.builder.add_edge(zone, {b.index, a.index, *gateway_to, *gateway_from, 0, 0, line},
                        ways->back);
  }
  return {};
}

}  // namespace espalier::topology::simgrid
