#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace espalier::topology::simgrid {

/// The edge `cost` long that leads to `to`.
struct Hop {
  std::uint32_t to = 0;
  std::uint32_t cost = 0;
};

/// The edges out of each vertex v: hops[first[v] .. first[v + 1]).
struct Graph {
  std::vector<std::uint32_t> first;
  std::vector<Hop> hops;

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(first.size()) - 1; }
  [[nodiscard]] std::span<const Hop> out_of(std::uint32_t v) const {
    return std::span(hops).subspan(first[v], first[v + 1] - first[v]);
  }
};

inline constexpr std::uint32_t kNoVertex = 0xffffffff;

/// For each vertex its predecessor on the shortest path from `source`; kNoVertex for the source
/// and what it does not reach. Ties as in SimGrid: vertices are settled by (cost, order), the first
/// one to offer a cost keeps it. O(E log V).
/// E. Dijkstra: "A note on two problems in connexion with graphs", Numerische Mathematik 1, 1959.
[[nodiscard]] std::vector<std::uint32_t> dijkstra(const Graph& graph, std::uint32_t source,
                                                  std::span<const std::uint32_t> order);

/// The predecessors for all sources: row s of the result, which has V * V entries. Ties as in
/// SimGrid: a way over a later vertex must be truly shorter. O(V^3). R. Floyd: "Algorithm 97:
/// shortest path", Communications of the ACM 5(6), 1962.
[[nodiscard]] std::vector<std::uint32_t> floyd(const Graph& graph);

}  // namespace espalier::topology::simgrid
