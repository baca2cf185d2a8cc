#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "topology/machine_spec.hpp"
#include "topology/simgrid/platform.hpp"
#include "topology/simgrid/route_part.hpp"
#include "topology/simgrid/routes.hpp"

namespace espalier::topology::simgrid {

/// A host, a zone with hosts or a group of equal hosts, as its zone sees it.
struct ViewMember {
  MemberSpec spec;  ///< everything but the uplink
  std::uint64_t count = 1;
  std::uint32_t vertex = 0;  ///< index in Zone::points
  ZoneId zone = kNone;       ///< kNone: the member is no zone
  RoutePart up;    ///< first part of every route from the member, also of those that leave the zone
  RoutePart down;  ///< last part of every route to the member
  bool half_duplex = false;  ///< `up` and `down` share one width
  /// Members with the same attachment have the same routes but for `up` and `down`.
  std::pair<PointId, PointId> attachment;
  std::uint32_t tied_out = 0;  ///< number of links in `up` that its routes within the zone pass too
  std::uint32_t tied_in =
      0;  ///< number of links in `down` that its routes within the zone pass too
  bool tied = false;
};

/// The routes of one zone as a machine needs them: between the members that hold hosts, and from
/// them to the zone's gateways. Members on a router of their zone, or on the centre of a star, are
/// known to be alike, so that not all pairs need be looked at.
class ZoneView {
 public:
  /// @param settled by ZoneId; the zones within this one are done
  ZoneView(const Platform& platform, Routes& routes, std::vector<SettledZone>& settled,
           ZoneId zone);

  [[nodiscard]] const Zone& zone() const { return zone_; }
  [[nodiscard]] std::vector<ViewMember>& members() { return members_; }
  /// A star counts a link on both ends of a route once.
  [[nodiscard]] bool counts_links_once() const { return zone_.routing == Routing::Star; }

  /// The route between two members, without `up` of the first and `down` of the second. Two hosts
  /// of one group if from == to.
  bool route(std::size_t from, std::size_t to, RoutePart& piece);
  /// The routes to a gateway of the zone, without `up`, and from it, without `down`.
  bool exit(std::size_t from, std::size_t gateway, RoutePart& piece);
  bool entry(std::size_t to, std::size_t gateway, RoutePart& piece);

 private:
  void count_incoming();
  void add_member(const ZoneItem& item);
  void describe_group(const HostGroup& group, ViewMember& member);
  bool describe_point(const Point& point, ViewMember& member);
  void tie_to_star(ViewMember& member);
  void tie_to_router(ViewMember& member);
  [[nodiscard]] bool is_gateway(std::uint32_t vertex) const;
  [[nodiscard]] bool transit(std::uint32_t vertex) const;
  /// The routes at this gateway of a member with several gateways; not part of `up` and `down`.
  [[nodiscard]] const GatewayRoutes* ends_at(const ViewMember& member, PointId gateway);
  [[nodiscard]] std::uint32_t vertex_of(PointId inner) const;
  bool local(std::uint32_t from, std::uint32_t to, ZoneRoute& route);

  const Platform& platform_;
  Routes& routes_;
  const std::vector<SettledZone>& settled_;
  ZoneId id_;
  const Zone& zone_;
  std::vector<ViewMember> members_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>>
      incoming_;  ///< [vertex] one incoming edge, and their number
  std::vector<std::uint32_t> gateway_vertices_;
};

/// The name without the characters that machine_spec.hpp forbids.
[[nodiscard]] std::string plain_name(std::string_view name);
/// "node-[1-29,58].site"
[[nodiscard]] std::string hostlist_of(const HostGroup& group);

}  // namespace espalier::topology::simgrid
