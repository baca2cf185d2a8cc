#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topology/simgrid/route_part.hpp"

namespace espalier::topology::simgrid {

/// The routes between the classes of a zone's members, or between them and a gateway; flat, since
/// there may be millions.
struct RouteTable {
  struct Route {
    std::uint32_t from = 0;  ///< class of the sender
    std::uint32_t to =
        0;  ///< class of the receiver; equal to `from` within a class or to a gateway
    std::size_t first = 0;  ///< index of its first link in `links`
    std::size_t count = 0;
    Picoseconds latency = 0;  ///< latency in addition to that of the links
    Bandwidth width = kUnlimited;
    Bandwidth cap = kUnlimited;
  };
  std::vector<Route> routes;
  std::vector<LinkId> links;

  void add(std::uint32_t from, std::uint32_t to, const RoutePart& piece);
  [[nodiscard]] std::span<const LinkId> links_of(const Route& route) const {
    return std::span(links).subspan(route.first, route.count);
  }
};

/// What a link is to the zone whose routes pass it.
enum class Role : std::uint8_t {
  Unused,
  Everywhere,  ///< every route passes it, also those that leave and enter: the zone's backbone
  Inside,      ///< every route between members passes it, but not every one that leaves or enters
  Leaving,     ///< all routes that leave (or enter) pass it, and no other: the zone's uplink
  Owned,       ///< all routes of one member pass it, and no other: that member's uplink
  Partial,     ///< any other link: a tree of clusters has no place for it
};

struct LinkRole {
  Role role = Role::Unused;
  std::uint32_t owner = kNone;  ///< Owned: class of the owner
  bool out = false;             ///< Owned, Leaving: routes out of the owner or zone pass it
  bool in = false;              ///< Owned, Leaving: routes into the owner or zone pass it
  bool of_one_pair = false;     ///< Partial: only the routes between two members pass it
};

struct ZoneRoutes {
  RouteTable inside;
  RouteTable exits;    ///< [class] routes to the gateway; empty if nothing leaves the zone
  RouteTable entries;  ///< [class] routes from the gateway; empty if nothing enters the zone
};

/// Works out the role of every link on these routes. O(links on them).
class LinkRoles {
 public:
  /// @param links how many the platform has
  explicit LinkRoles(std::size_t links) : use_(links), roles_(links) {}

  /// @param single by class: whether it has one member only
  void work_out(const ZoneRoutes& routes, const std::vector<bool>& single);
  [[nodiscard]] const LinkRole& of(LinkId link) const { return roles_[link]; }
  /// Links that have a role, in the order in which they were met.
  [[nodiscard]] const std::vector<LinkId>& used() const { return used_; }

 private:
  /// Counts on the way to a role.
  struct Use {
    std::uint64_t inside = 0;
    std::uint64_t exits = 0;
    std::uint64_t entries = 0;
    std::uint32_t candidate[2] = {kNone, kNone};  ///< classes that have a part in all its routes
    std::uint64_t from[2] = {0, 0};               ///< number of routes from each candidate
    std::uint64_t to[2] = {0, 0};                 ///< number of routes to each candidate
    bool exit[2] = {false, false};
    bool entry[2] = {false, false};
    std::uint32_t nearest = kNone;  ///< the class to whose end of a route it is nearer
    std::uint64_t stamp = 0;
    bool met = false;
  };

  bool first_time(LinkId link);
  void narrow(Use& use, std::uint32_t a, std::uint32_t b);
  void meet_all(const ZoneRoutes& routes);
  void count_for_candidates(const ZoneRoutes& routes);
  void decide(LinkId link, const ZoneRoutes& routes, const std::vector<bool>& single);
  void find_links_of_one_pair(const RouteTable& inside, const std::vector<bool>& single);

  std::vector<Use> use_;
  std::vector<LinkRole> roles_;
  std::vector<LinkId> used_;
  std::vector<std::uint64_t> out_degree_, in_degree_;  ///< [class] number of routes from and to it
  std::uint64_t stamp_ = 0;
};

}  // namespace espalier::topology::simgrid
