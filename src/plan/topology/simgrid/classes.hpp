#pragma once

#include <cstdint>
#include <vector>

#include "topology/simgrid/link_roles.hpp"
#include "topology/simgrid/zone_view.hpp"

namespace espalier::topology::simgrid {

/// What is a member's alone, by direction. Widths are shared by all its messages, caps are not.
struct OwnFigures {
  Bandwidth out = kUnlimited;   ///< of what only carries its messages out
  Bandwidth in = kUnlimited;    ///< in
  Bandwidth both = kUnlimited;  ///< of what carries both at once
  Picoseconds latency_out = 0;
  Picoseconds latency_in = 0;

  /// A link with that part in its routes; its latency is not counted here.
  void add_width(const Link& link, bool is_out, bool is_in);
};

/// Members that no route tells apart.
struct MemberClass {
  std::vector<std::size_t> members;
  std::uint64_t size = 0;  ///< of them, groups counted by their hosts
  std::vector<LinkId> up;  ///< on all their routes, but not theirs alone
  std::vector<LinkId> down;
  Bandwidth cap_out = kUnlimited;
  Bandwidth cap_in = kUnlimited;
};

struct Classes {
  std::vector<MemberClass> classes;
  std::vector<OwnFigures> own;  ///< beside the members

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
