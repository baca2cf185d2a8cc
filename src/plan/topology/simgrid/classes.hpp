#pragma once

#include <cstdint>
#include <vector>

#include "topology/simgrid/link_roles.hpp"
#include "topology/simgrid/zone_view.hpp"

namespace espalier::topology::simgrid {

/// What is a member's alone, by direction. Widths are shared by all its messages, caps are not.
struct OwnFigures {
  Bandwidth out = kUnlimited;   ///< width of links that carry only its outgoing messages
  Bandwidth in = kUnlimited;    ///< width of links that carry only its incoming messages
  Bandwidth both = kUnlimited;  ///< width of links that carry both directions
  Picoseconds latency_out = 0;
  Picoseconds latency_in = 0;

  /// A link with that part in its routes; its latency is not counted here.
  void add_width(const Link& link, bool is_out, bool is_in);
};

/// Members that no route tells apart.
struct MemberClass {
  std::vector<std::size_t> members;
  std::uint64_t size = 0;  ///< number of hosts in the class
  std::vector<LinkId> up;  ///< links on all routes of these members that other members use too
  std::vector<LinkId> down;
  Bandwidth cap_out = kUnlimited;
  Bandwidth cap_in = kUnlimited;
};

struct Classes {
  std::vector<MemberClass> classes;
  std::vector<OwnFigures> own;  ///< [member] in the order of ZoneView::members()

  [[nodiscard]] std::vector<bool> single() const;
};

/// Members with the same attachment, the same common links on their ends, the same caps and the
/// same difference between their latencies out and in.
[[nodiscard]] Classes classify(const Platform& platform, ZoneView& view);

/// The routes between classes; and those to and from the gateway of that number.
/// @return false after routes.failure()
bool find_routes(Routes& routes, ZoneView& view, const Classes& classes, ZoneRoutes& found);
bool find_exits(Routes& routes, ZoneView& view, const Classes& classes, std::size_t gateway,
                ZoneRoutes& found);

}  // namespace espalier::topology::simgrid
