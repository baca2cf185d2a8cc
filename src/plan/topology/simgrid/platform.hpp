#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"
#include "topology/machine_spec.hpp"
#include "topology/simgrid/quantities.hpp"

/// A SimGrid platform as its file describes it: zones within zones, the hosts, routers and links in
/// them, and the routes. SimGrid 3.32's meaning of them ("Platform description reference" of its
/// manual) is in routes.hpp.
namespace espalier::topology::simgrid {

using LinkId = std::uint32_t;
using PointId = std::uint32_t;
using ZoneId = std::uint32_t;
using GroupId = std::uint32_t;
inline constexpr std::uint32_t kNone = 0xffffffff;

/// Beyond these a file is taken for a mistake. SimGrid's largest example has 300,000 hosts.
inline constexpr std::uint64_t kMaxHosts = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kMaxCoresInAll = std::uint64_t{1} << 22;
inline constexpr std::uint32_t kMaxZoneDepth = 125;

/// One direction, or both. A SPLITDUPLEX link of the file is two of them.
struct Link {
  std::string name;
  Bandwidth bandwidth;
  Time latency;
  bool fatpipe = false;  ///< FATPIPE: limits each flow by itself; flows do not share it
  LinkId back = 0;       ///< other half of a SPLITDUPLEX link; else the link itself
};

/// What two processes of one host meet.
struct Loopback {
  Time latency;
  Bandwidth bandwidth;
  bool fatpipe = true;
};

struct Host {
  std::uint64_t cores = 1;
  CostOverride costs;
  std::optional<Loopback> loopback;
  std::optional<std::uint64_t> rank;  ///< MPI rank, if write_simgrid() noted one
};

enum class PointKind : std::uint8_t { Host, Router, Zone };

/// An end of a route.
struct Point {
  PointKind kind = PointKind::Router;
  std::string name;
  std::uint32_t line = 0;
  ZoneId zone = kNone;      ///< zone that contains it; kNone: the outermost zone itself
  std::uint32_t index = 0;  ///< index in Zone::points
  std::uint32_t item = 0;   ///< index in Platform::hosts or Platform::zones
};

/// Hosts of one kind in a star, each with a link of its own: a <cluster> or a <cabinet>.
struct HostGroup {
  std::string prefix;
  std::string suffix;
  std::vector<NumberRange> ranges;
  ZoneId zone = kNone;
  std::uint32_t line = 0;
  Host host;
  Bandwidth bandwidth;
  Time latency;
  bool fatpipe = false;
  bool half_duplex = false;
  Bandwidth limiter = kUnlimited;  ///< bandwidth of a further link that both directions share

  [[nodiscard]] std::uint64_t size() const {
    std::uint64_t sum = 0;
    for (const NumberRange& range : ranges) sum += range.size();
    return sum;
  }
};

enum class Routing : std::uint8_t {
  None,      ///< no routes: distances do not tell its members apart
  Full,      ///< one declared route for each pair
  Floyd,     ///< shortest path over declared routes, counted in links
  Dijkstra,  ///< shortest paths like Floyd; equal paths are chosen differently
  Star,      ///< "Cluster": every member has links to and from the centre
  Torus,
};

/// A declared route, one direction of it.
struct Edge {
  std::uint32_t from = 0;  ///< index in Zone::points
  std::uint32_t to = 0;
  PointId gateway_from =
      kNone;  ///< point at which the route leaves `from`; `from` itself if it is no zone
  PointId gateway_to = kNone;
  std::uint32_t first_link = 0;  ///< index in Zone::edge_links
  std::uint32_t link_count = 0;
  std::uint32_t line = 0;
};

/// The way between a member of a star and the centre.
struct Arms {
  std::vector<LinkId> up;
  std::vector<LinkId> down;
  PointId gateway = kNone;  ///< the member itself if it is no zone
};

/// A member that holds hosts, in the order of the file.
struct ZoneItem {
  bool is_group = false;
  std::uint32_t id = 0;  ///< GroupId or PointId
};

struct Zone {
  std::string name;
  PointId point = kNone;
  ZoneId parent = kNone;
  std::uint32_t depth = 0;
  std::uint32_t line = 0;
  Routing routing = Routing::Full;
  bool kept = false;             ///< stays a cluster of the machine even with one member
  std::uint64_t host_count = 0;  ///< hosts in this zone and in all zones within
  std::vector<PointId> points;
  std::vector<ZoneItem> items;
  std::vector<Edge> edges;  ///< sorted by (from, to) once the platform is complete
  std::vector<LinkId> edge_links;
  std::vector<std::uint32_t>
      first_seen;              ///< [point] its turn in the order in which routes first name points
  std::vector<Arms> arms;      ///< Star: [point] links to and from the centre
  std::vector<LinkId> centre;  ///< Star: backbone, which every group passes
  PointId hub = kNone;         ///< Star with groups: point that joins their hosts
  std::vector<std::uint32_t> dimensions;  ///< Torus: `points` are the hosts, x running first
  std::vector<LinkId>
      torus_links;  ///< Torus: [host * dimensions.size() + d] link to the next host in d
  std::vector<LinkId>
      torus_limiters;  ///< Torus: [point] limiter of each host; empty if there are none
};

struct Platform {
  std::string file;
  std::vector<Link> links;
  std::vector<Point> points;
  std::vector<Host> hosts;
  std::vector<HostGroup> groups;
  std::vector<Zone> zones;  ///< [0] is the outermost; parents stand before their children
  std::vector<std::string> notes;

  [[nodiscard]] std::string where(std::uint32_t line) const {
    return file + ":" + std::to_string(line);
  }
};

/// First failure wins: "no error" is an empty optional.
using Failure = std::optional<Error>;

}  // namespace espalier::topology::simgrid
