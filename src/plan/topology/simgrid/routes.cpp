#include "topology/simgrid/routes.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::topology::simgrid {

/// What the routing of a graph has found out so far.
struct Routes::Cache {
  Graph graph;
  std::vector<std::uint32_t> all;  ///< Floyd: predecessors for all sources, row by row
  std::vector<std::vector<std::uint32_t>> rows;  ///< Dijkstra: [source] predecessors
};

Routes::Routes(const Platform& platform) : platform_(platform), caches_(platform.zones.size()) {}
Routes::~Routes() = default;

bool Routes::spend(std::uint64_t steps) {
  steps_ += steps;
  if (steps_ > kMaxSteps && !failure_) {
    failure_ = Error{platform_.where(platform_.zones[0].line),
                     "the routes of this platform are too many or too long to follow",
                     "describe equal hosts with <cluster>, and nest fewer zones"};
  }
  return !failure_;
}

bool Routes::fail_between(ZoneId zone, std::uint32_t from, std::uint32_t to) {
  const Zone& in = platform_.zones[zone];
  if (!failure_) {
    failure_ = Error{platform_.where(in.line),
                     fmt::format("no route from \"{:.60}\" to \"{:.60}\" in zone \"{:.60}\"",
                                 trimmed(platform_.points[in.points[from]].name),
                                 trimmed(platform_.points[in.points[to]].name), in.name),
                     "any two hosts of a machine must reach each other: add a <route>, or a "
                     "<zoneRoute> with gateways"};
  }
  return false;
}

const Edge* Routes::edge(ZoneId zone, std::uint32_t from, std::uint32_t to) const {
  const std::vector<Edge>& edges = platform_.zones[zone].edges;
  const auto it = std::lower_bound(
      edges.begin(), edges.end(), std::pair(from, to),
      [](const Edge& e, const auto& key) { return std::pair(e.from, e.to) < key; });
  return it != edges.end() && it->from == from && it->to == to ? &*it : nullptr;
}

void Routes::append(const Zone& zone, const Edge& edge, std::vector<LinkId>& links) {
  const auto first = zone.edge_links.begin() + edge.first_link;
  links.insert(links.end(), first, first + edge.link_count);
}

bool Routes::local(ZoneId zone, std::uint32_t from, std::uint32_t to, ZoneRoute& route) {
  const Zone& in = platform_.zones[zone];
  route = {};
  switch (in.routing) {
    case Routing::None:
      break;
    case Routing::Full: {
      const Edge* found = edge(zone, from, to);
      if (found == nullptr) return fail_between(zone, from, to);
      append(in, *found, route.links);
      route.gateway_from = found->gateway_from;
      route.gateway_to = found->gateway_to;
      break;
    }
    case Routing::Floyd:
    case Routing::Dijkstra:
      if (!over_graph(zone, from, to, route)) return false;
      break;
    case Routing::Star:
      if (!over_star(zone, from, to, route)) return false;
      break;
    case Routing::Torus:
      over_torus(zone, from, to, route);
      break;
  }
  return spend(1 + route.links.size());
}

const std::uint32_t* Routes::vertices_before(ZoneId zone, std::uint32_t from) {
  // SimGrid's own Floyd takes as long; beyond this size Dijkstra's ties have to do.
  constexpr std::size_t kLargestFloyd = 200;
  const Zone& in = platform_.zones[zone];
  const std::size_t n = in.points.size();
  if (caches_[zone] == nullptr) {
    caches_[zone] = std::make_unique<Cache>();
    Graph& graph = caches_[zone]->graph;
    graph.first.assign(n + 1, 0);
    for (const Edge& e : in.edges) {
      ++graph.first[e.from + 1];
      graph.hops.push_back({e.to, e.link_count});  // edges are sorted by their source
    }
    for (std::size_t v = 0; v < n; ++v) graph.first[v + 1] += graph.first[v];
    caches_[zone]->rows.resize(n);
  }
  Cache& cache = *caches_[zone];
  if (in.routing == Routing::Floyd && n <= kLargestFloyd) {
    if (cache.all.empty()) {
      if (!spend(n * n * n)) return nullptr;
      cache.all = floyd(cache.graph);
    }
    return cache.all.data() + n * from;
  }
  if (cache.rows[from].empty()) {
    if (!spend(8 * (n + in.edges.size()))) return nullptr;
    cache.rows[from] = dijkstra(cache.graph, from, in.first_seen);
  }
  return cache.rows[from].data();
}

bool Routes::over_graph(ZoneId zone, std::uint32_t from, std::uint32_t to, ZoneRoute& route) {
  const Zone& in = platform_.zones[zone];
  const std::uint32_t* before = vertices_before(zone, from);
  if (before == nullptr) return false;
  std::vector<const Edge*> hops;
  for (std::uint32_t v = to; v != from; v = before[v]) {
    if (before[v] == kNoVertex) return fail_between(zone, from, to);
    hops.push_back(edge(zone, before[v], v));
  }
  std::reverse(hops.begin(), hops.end());
  if (!spend(hops.size())) return false;
  route.gateway_from = hops.front()->gateway_from;
  route.gateway_to = hops.back()->gateway_to;
  for (std::size_t i = 0; i < hops.size(); ++i) {
    // Through a zone on the way: from where one hop enters it to where the next one leaves it.
    if (i > 0 && !between(hops[i - 1]->gateway_to, hops[i]->gateway_from, route.links))
      return false;
    append(in, *hops[i], route.links);
  }
  return true;
}

bool Routes::over_star(ZoneId zone, std::uint32_t from, std::uint32_t to, ZoneRoute& route) {
  const Zone& in = platform_.zones[zone];
  const Arms& a = in.arms[from];
  const Arms& b = in.arms[to];
  for (const Arms* arms : {&a, &b}) {
    if (platform_.points[arms->gateway].kind == PointKind::Zone) {
      return fail_between(zone, from, to);
    }
  }
  route.gateway_from = a.gateway;
  route.gateway_to = b.gateway;
  // A star counts a link that lies on both arms once.
  for (const std::vector<LinkId>* arm : {&a.up, &b.down}) {
    for (const LinkId link : *arm) {
      if (std::find(route.links.begin(), route.links.end(), link) == route.links.end()) {
        route.links.push_back(link);
      }
    }
  }
  return true;
}

/// Dimension by dimension, the shorter way round, as SimGrid's torus: half way round it goes up.
void Routes::over_torus(ZoneId zone, std::uint32_t from, std::uint32_t to, ZoneRoute& route) {
  const Zone& in = platform_.zones[zone];
  const std::size_t dimensions = in.dimensions.size();
  route.gateway_from = in.points[from];
  route.gateway_to = in.points[to];
  const auto pass_limiter = [&](std::uint32_t host) {
    if (!in.torus_limiters.empty()) route.links.push_back(in.torus_limiters[host]);
  };
  std::uint32_t stride = 1;
  std::uint32_t at = from;
  for (std::size_t d = 0; d < dimensions; ++d) {
    const std::uint32_t size = in.dimensions[d];
    const std::uint32_t mine = from / stride % size;
    const std::uint32_t target = to / stride % size;
    const bool upwards = (target > mine && target <= mine + size / 2) ||
                         (mine > size / 2 && (mine + size / 2) % size >= target);
    for (std::uint32_t x = mine; x != target;) {
      const std::uint32_t next_x = upwards ? (x + 1) % size : (x + size - 1) % size;
      const std::uint32_t next = at - x * stride + next_x * stride;
      pass_limiter(at);
      const LinkId link = in.torus_links[(upwards ? at : next) * dimensions + d];
      route.links.push_back(upwards ? link : platform_.links[link].back);
      at = next;
      x = next_x;
    }
    stride *= size;
  }
  pass_limiter(to);
}

bool Routes::between(PointId from, PointId to, std::vector<LinkId>& links) {
  if (from == to || from == kNone || to == kNone) return true;
  PointId a = from;
  PointId b = to;
  const auto zone_of = [&](PointId p) { return platform_.points[p].zone; };
  const auto depth_of = [&](PointId p) { return platform_.zones[zone_of(p)].depth; };
  while (depth_of(a) > depth_of(b)) a = platform_.zones[zone_of(a)].point;
  while (depth_of(b) > depth_of(a)) b = platform_.zones[zone_of(b)].point;
  while (zone_of(a) != zone_of(b)) {
    a = platform_.zones[zone_of(a)].point;
    b = platform_.zones[zone_of(b)].point;
  }
  ZoneRoute route;
  if (!local(zone_of(a), platform_.points[a].index, platform_.points[b].index, route)) return false;
  // Gateways lie within a and b, so each step leads into deeper zones.
  if (a != from && !between(from, route.gateway_from, links)) return false;
  links.insert(links.end(), route.links.begin(), route.links.end());
  if (!spend(1 + route.links.size())) return false;
  return b == to || between(route.gateway_to, to, links);
}

}  // namespace espalier::topology::simgrid
