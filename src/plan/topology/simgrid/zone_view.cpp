#include "topology/simgrid/zone_view.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::topology::simgrid {
namespace {

/// SimGrid 3.32's default for two processes of one host.
constexpr Loopback kDefaultLoopback{Time{0}, bytes_per_second(10'000'000'000), true};

/// The loopback of a host in a star that has none of its own: through the star.
Loopback loopback_through(const Platform& platform, const Arms& arms) {
  Loopback through{Time{0}, kUnlimited, false};
  std::vector<LinkId> links = arms.up;
  links.insert(links.end(), arms.down.begin(), arms.down.end());
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
  for (const LinkId id : links) {
    through.latency += platform.links[id].latency;
    through.bandwidth = std::min(through.bandwidth, platform.links[id].bandwidth);
  }
  return through;
}

Loopback loopback_through(const Platform& platform, const HostGroup& group, const Zone& star) {
  // Its own link twice, or once if that is the same one; what lies in the middle once.
  Loopback through{(group.half_duplex ? 1 : 2) * group.latency,
                   std::min(group.bandwidth, group.limiter), false};
  for (const LinkId id : star.centre) {
    through.latency += platform.links[id].latency;
    through.bandwidth = std::min(through.bandwidth, platform.links[id].bandwidth);
  }
  return through;
}

/// A process, or a node of as many as the host has cores, whose messages to each other are limited
/// one by one: a backbone would limit those that leave it too.
MemberSpec spec_of_host(const Platform& platform, const Host& host, const std::string& name,
                        std::uint32_t line, const Loopback& otherwise) {
  MemberSpec spec;
  spec.where = platform.where(line);
  spec.name = name;
  spec.costs = host.costs;
  if (host.cores == 1) return spec;
  const Loopback loopback = host.loopback.value_or(otherwise);
  spec.channel.latency = loopback.latency;
  spec.channel.flow_cap = loopback.bandwidth;
  MemberSpec processes;
  processes.where = spec.where;
  processes.count = host.cores;
  spec.members = {processes};
  return spec;
}

}  // namespace

std::string plain_name(std::string_view name) {
  std::string plain(name);
  for (char& c : plain) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || c == '[' || c == ']' || c == ',') c = '_';
  }
  return plain;
}

std::string hostlist_of(const HostGroup& group) {
  std::string numbers;
  for (const NumberRange& range : group.ranges) {
    numbers += fmt::format("{}{}", numbers.empty() ? "" : ",", range.first);
    if (range.last > range.first) numbers += fmt::format("-{}", range.last);
  }
  if (group.size() > 1) numbers = "[" + numbers + "]";
  return plain_name(group.prefix) + numbers + plain_name(group.suffix);
}

ZoneView::ZoneView(const Platform& platform, Routes& routes, std::vector<SettledZone>& settled,
                   ZoneId zone)
    : platform_(platform),
      routes_(routes),
      settled_(settled),
      id_(zone),
      zone_(platform.zones[zone]) {
  for (const PointId gateway : settled[zone].gateways) {
    gateway_vertices_.push_back(vertex_of(gateway));
  }
  std::sort(gateway_vertices_.begin(), gateway_vertices_.end());
  count_incoming();
  for (const ZoneItem& item : zone_.items) add_member(item);
  // The specs of inner zones are needed only once.
  for (ViewMember& member : members_) {
    if (member.zone != kNone) member.spec = std::move(settled[member.zone].spec);
  }
}

void ZoneView::count_incoming() {
  incoming_.assign(zone_.points.size(), {0, 0});
  for (std::uint32_t e = 0; e < zone_.edges.size(); ++e) {
    auto& [edge, count] = incoming_[zone_.edges[e].to];
    edge = e;
    ++count;
  }
}

bool ZoneView::is_gateway(std::uint32_t vertex) const {
  return std::binary_search(gateway_vertices_.begin(), gateway_vertices_.end(), vertex);
}

std::uint32_t ZoneView::vertex_of(PointId inner) const {
  while (platform_.points[inner].zone != id_) {
    inner = platform_.zones[platform_.points[inner].zone].point;
  }
  return platform_.points[inner].index;
}

void ZoneView::describe_group(const HostGroup& group, ViewMember& member) {
  member.count = group.size();
  member.spec = spec_of_host(platform_, group.host, hostlist_of(group), group.line,
                             loopback_through(platform_, group, zone_));
  member.vertex = platform_.points[zone_.hub].index;
  member.up.latency = group.latency.picoseconds;
  member.up.width = group.fatpipe ? group.limiter : std::min(group.bandwidth, group.limiter);
  if (group.fatpipe) member.up.cap = group.bandwidth;
  member.down = member.up;
  member.half_duplex = group.half_duplex;
}

/// False if there are no hosts in it.
bool ZoneView::describe_point(const Point& point, ViewMember& member) {
  member.vertex = point.index;
  if (point.kind == PointKind::Host) {
    member.spec = spec_of_host(
        platform_, platform_.hosts[point.item], plain_name(point.name), point.line,
        zone_.routing == Routing::Star ? loopback_through(platform_, zone_.arms[point.index])
                                       : kDefaultLoopback);
    return true;
  }
  member.zone = point.item;
  const SettledZone& inner = settled_[member.zone];
  if (inner.ends.size() == 1) {
    member.up = inner.ends[0].out;
    member.down = inner.ends[0].in;
  }
  return platform_.zones[member.zone].host_count > 0;
}

void ZoneView::add_member(const ZoneItem& item) {
  ViewMember member;
  if (item.is_group) {
    if (platform_.groups[item.id].ranges.empty()) return;
    describe_group(platform_.groups[item.id], member);
  } else if (!describe_point(platform_.points[item.id], member)) {
    return;
  }
  // An attachment of its own, unless it can be tied to one that others share.
  member.attachment = {static_cast<PointId>(members_.size()), kNone};
  if (zone_.routing == Routing::None) member.attachment = {kNone, kNone};
  const bool one_way_out = member.zone == kNone || settled_[member.zone].ends.size() == 1;
  if (one_way_out && !is_gateway(member.vertex)) {
    if (zone_.routing == Routing::Star) tie_to_star(member);
    const bool graph = zone_.routing == Routing::Floyd || zone_.routing == Routing::Dijkstra;
    if (graph) tie_to_router(member);
  }
  members_.push_back(std::move(member));
}

void ZoneView::tie_to_star(ViewMember& member) {
  const Arms& arms = zone_.arms[member.vertex];
  member.up.links.insert(member.up.links.end(), arms.up.begin(), arms.up.end());
  member.down.links.insert(member.down.links.begin(), arms.down.begin(), arms.down.end());
  member.attachment = {kNone, kNone};
  member.tied = true;
}

/// A router, or a zone of routers: no route ends there.
bool ZoneView::transit(std::uint32_t vertex) const {
  const Point& point = platform_.points[zone_.points[vertex]];
  return point.kind == PointKind::Router ||
         (point.kind == PointKind::Zone && platform_.zones[point.item].host_count == 0);
}

/// A member with one route out of it and one into it, both with a router at their other end.
void ZoneView::tie_to_router(ViewMember& member) {
  const auto first = std::lower_bound(zone_.edges.begin(), zone_.edges.end(), member.vertex,
                                      [](const Edge& e, std::uint32_t v) { return e.from < v; });
  const auto last = std::upper_bound(first, zone_.edges.end(), member.vertex,
                                     [](std::uint32_t v, const Edge& e) { return v < e.from; });
  const auto [incoming, count] = incoming_[member.vertex];
  if (last - first != 1 || count != 1) return;
  const Edge& out = *first;
  const Edge& in = zone_.edges[incoming];
  if (!transit(out.to) || !transit(in.from)) return;
  const auto links = zone_.edge_links.begin();
  member.up.links.insert(member.up.links.end(), links + out.first_link,
                         links + out.first_link + out.link_count);
  member.down.links.insert(member.down.links.begin(), links + in.first_link,
                           links + in.first_link + in.link_count);
  // The gateways name the routers too, and where in a zone of routers the routes end.
  member.attachment = {out.gateway_to, in.gateway_from};
  member.tied_out = out.link_count;
  member.tied_in = in.link_count;
  member.tied = true;
}

const GatewayRoutes* ZoneView::ends_at(const ViewMember& member, PointId gateway) {
  if (member.zone == kNone || gateway == kNone) return nullptr;
  const SettledZone& inner = settled_[member.zone];
  if (inner.ends.size() < 2) return nullptr;
  routes_.spend(inner.gateways.size());
  const auto it = std::find(inner.gateways.begin(), inner.gateways.end(), gateway);
  return &inner.ends[static_cast<std::size_t>(it - inner.gateways.begin())];
}

/// As Routes::local, but for what is tied to a star: that is known without looking.
bool ZoneView::local(std::uint32_t from, std::uint32_t to, ZoneRoute& route) {
  if (from != to) return routes_.local(id_, from, to, route);
  route = {};  // two hosts of groups, on one hub
  return true;
}

bool ZoneView::route(std::size_t from, std::size_t to, RoutePart& piece) {
  piece = {};
  const ViewMember& a = members_[from];
  const ViewMember& b = members_[to];
  ZoneRoute route;
  if (zone_.routing == Routing::Star) {
    const Arms& up = zone_.arms[a.vertex];
    const Arms& down = zone_.arms[b.vertex];
    if (a.vertex != b.vertex && !local(a.vertex, b.vertex, route)) return false;
    route.links.clear();
    if (!a.tied) route.links = up.up;
    if (!b.tied) route.links.insert(route.links.end(), down.down.begin(), down.down.end());
  } else if (!local(a.vertex, b.vertex, route)) {
    return false;
  }
  const GatewayRoutes* leaving = ends_at(a, route.gateway_from);
  const GatewayRoutes* arriving = ends_at(b, route.gateway_to);
  if (leaving != nullptr) piece.append(leaving->out);
  piece.links.insert(piece.links.end(), route.links.begin() + a.tied_out,
                     route.links.end() - b.tied_in);
  if (arriving != nullptr) piece.append(arriving->in);
  return routes_.spend(piece.links.size());
}

bool ZoneView::exit(std::size_t from, std::size_t gateway, RoutePart& piece) {
  piece = {};
  const PointId target = settled_[id_].gateways[gateway];
  const ViewMember& member = members_[from];
  const std::uint32_t vertex = vertex_of(target);
  if (zone_.routing == Routing::None) return true;
  if (member.vertex == vertex) {
    if (const GatewayRoutes* ends = ends_at(member, target)) piece = ends->out;
    return true;
  }
  ZoneRoute route;
  if (!local(member.vertex, vertex, route)) return false;
  if (zone_.routing == Routing::Star) {
    route.links = zone_.arms[vertex].down;
    const std::vector<LinkId>& up = zone_.arms[member.vertex].up;
    if (!member.tied) route.links.insert(route.links.begin(), up.begin(), up.end());
  }
  if (const GatewayRoutes* ends = ends_at(member, route.gateway_from)) piece.append(ends->out);
  piece.links.insert(piece.links.end(), route.links.begin() + member.tied_out, route.links.end());
  return routes_.between(route.gateway_to, target, piece.links) &&
         routes_.spend(piece.links.size());
}

bool ZoneView::entry(std::size_t to, std::size_t gateway, RoutePart& piece) {
  piece = {};
  const PointId source = settled_[id_].gateways[gateway];
  const ViewMember& member = members_[to];
  const std::uint32_t vertex = vertex_of(source);
  if (zone_.routing == Routing::None) return true;
  if (member.vertex == vertex) {
    if (const GatewayRoutes* ends = ends_at(member, source)) piece = ends->in;
    return true;
  }
  ZoneRoute route;
  if (!local(vertex, member.vertex, route)) return false;
  if (zone_.routing == Routing::Star) {
    route.links = zone_.arms[vertex].up;
    const std::vector<LinkId>& down = zone_.arms[member.vertex].down;
    if (!member.tied) route.links.insert(route.links.end(), down.begin(), down.end());
  }
  if (!routes_.between(source, route.gateway_from, piece.links)) return false;
  piece.links.insert(piece.links.end(), route.links.begin(), route.links.end() - member.tied_in);
  if (const GatewayRoutes* ends = ends_at(member, route.gateway_to)) piece.append(ends->in);
  return routes_.spend(piece.links.size());
}

}  // namespace espalier::topology::simgrid
