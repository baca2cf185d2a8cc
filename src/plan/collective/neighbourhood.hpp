#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/collective.hpp"
#include "schedule/program.hpp"
#include "topology/machine.hpp"

namespace espalier::collective {

/// How blocks reach neighbours in other clusters. Within a cluster each block goes straight.
enum class NeighbourRoute : std::uint8_t {
  Direct,   ///< straight to each neighbour, as MPI libraries do
  Relayed,  ///< a rank sends once to each cluster; one of its neighbours there passes blocks on
  Joined,   ///< a rank of the sending cluster collects all blocks for another cluster, and one
            ///< rank there hands them out
};

/// A plan for neighbourhood collectives: clusters of which level blocks are bundled for.
struct NeighbourPlan {
  NeighbourRoute route = NeighbourRoute::Direct;
  std::uint32_t level = 0;  ///< blocks that cross this level or one further out are bundled
  friend auto operator<=>(const NeighbourPlan&, const NeighbourPlan&) = default;
};
/// "direct", "joined", "relayed at level 1". Level 0 is not named.
[[nodiscard]] std::string name_of(const NeighbourPlan& plan);
[[nodiscard]] std::optional<NeighbourPlan> neighbour_plan_named(std::string_view name);

/// A block that goes from one rank to another: which one it is in the sender's In, and its place in
/// the receiver's Out.
struct NeighbourEdge {
  Rank from = 0;
  std::uint32_t block = 0;
  Rank to = 0;
  std::uint32_t place = 0;
  friend auto operator<=>(const NeighbourEdge&, const NeighbourEdge&) = default;
};

/// All blocks that have to move, in order. Of an allgather each pair of ranks once: whoever has a
/// source several times copies the block. A rank that is its own neighbour has one to itself.
/// @pre call.graph is consistent
[[nodiscard]] std::vector<NeighbourEdge> neighbour_edges(const schedule::Collective& call);

/// Blocks that cross from one cluster to another in one message.
struct NeighbourBundle {
  Rank sender = 0;                   ///< has collected the blocks
  Rank receiver = 0;                 ///< hands them out
  std::vector<NeighbourEdge> edges;  ///< sorted
};

/// Which way all blocks of a call go. The same on all ranks.
class NeighbourRoutes {
 public:
  /// @param straight blocks that go by themselves
  NeighbourRoutes(Rank size, std::vector<NeighbourEdge> straight,
                  std::vector<NeighbourBundle> bundles);

  /// Calls visit(edge) for each straight block that this rank sends or receives, in order.
  template <typename Visit>
  void for_each_straight(Rank rank, Visit visit) const {
    for (const std::uint32_t edge : straight_of_[rank]) visit(straight_[edge]);
  }
  /// Calls visit(bundle) for each bundle that this rank has to do with, in order.
  template <typename Visit>
  void for_each_bundle(Rank rank, Visit visit) const {
    for (const std::uint32_t bundle : bundles_of_[rank]) visit(bundles_[bundle]);
  }

 private:
  std::vector<NeighbourEdge> straight_;
  std::vector<NeighbourBundle> bundles_;
  std::vector<std::vector<std::uint32_t>> straight_of_, bundles_of_;  // [rank]
};

/// @pre machine.size() == call.size
[[nodiscard]] NeighbourRoutes neighbour_routes(const NeighbourPlan& plan,
                                               const schedule::Collective& call,
                                               const topology::Machine& machine);
/// relayed_neighbours.cpp, joined_neighbours.cpp
/// @param part_of [rank] its cluster
/// @param far edges between clusters, in order
[[nodiscard]] std::vector<NeighbourBundle> relayed_bundles(std::span<const NeighbourEdge> far,
                                                           std::span<const Rank> part_of);
[[nodiscard]] std::vector<NeighbourBundle> joined_bundles(std::span<const NeighbourEdge> far,
                                                          std::span<const Rank> part_of);

/// A rank's part of a neighbourhood collective along these routes. Lengths of blocks may be any.
[[nodiscard]] schedule::Program neighbour_program(const schedule::Collective& call,
                                                  const NeighbourRoutes& routes, Rank rank);

}  // namespace espalier::collective
