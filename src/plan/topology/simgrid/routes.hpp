#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "topology/simgrid/platform.hpp"
#include "topology/simgrid/shortest_paths.hpp"

namespace espalier::topology::simgrid {

/// A route between two members of a zone. Its ends lie within them; kNone where nothing lies
/// between a member's hosts and the route (routing None).
struct ZoneRoute {
  std::vector<LinkId> links;
  PointId gateway_from = kNone;
  PointId gateway_to = kNone;
};

/// How much a reader may do before it takes a file for hostile: links looked at, in all. About a
/// second; the largest of SimGrid's examples needs a hundredth of it.
inline constexpr std::uint64_t kMaxSteps = 80'000'000;

/// SimGrid's routes: within a zone by its routing, between zones over the gateways of the routes of
/// their lowest common zone, and so on within those.
///
/// Functions return false after a failure(), which the first missing route leaves.
class Routes {
 public:
  explicit Routes(const Platform& platform);
  ~Routes();

  /// The route from one point of `zone` to another, by their indices in Zone::points. @pre from !=
  /// to
  bool local(ZoneId zone, std::uint32_t from, std::uint32_t to, ZoneRoute& route);
  /// Appends the links from a host or router to another; none if it is the same.
  bool between(PointId from, PointId to, std::vector<LinkId>& links);

  /// The edge of a graph or full zone, or nullptr.
  [[nodiscard]] const Edge* edge(ZoneId zone, std::uint32_t from, std::uint32_t to) const;

  /// Counts work; false once there was too much.
  bool spend(std::uint64_t steps);
  [[nodiscard]] const Failure& failure() const { return failure_; }

 private:
  struct Cache;
  bool fail_between(ZoneId zone, std::uint32_t from, std::uint32_t to);
  bool over_graph(ZoneId zone, std::uint32_t from, std::uint32_t to, ZoneRoute& route);
  bool over_star(ZoneId zone, std::uint32_t from, std::uint32_t to, ZoneRoute& route);
  void over_torus(ZoneId zone, std::uint32_t from, std::uint32_t to, ZoneRoute& route);
  const std::uint32_t* vertices_before(ZoneId zone, std::uint32_t from);
  void append(const Zone& zone, const Edge& edge, std::vector<LinkId>& links);

  const Platform& platform_;
  std::vector<std::unique_ptr<Cache>> caches_;  ///< [ZoneId] filled on the first question
  std::uint64_t steps_ = 0;
  Failure failure_;
};

}  // namespace espalier::topology::simgrid
