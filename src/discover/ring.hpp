#pragma once

#include "discover/found.hpp"
#include "discover/rates.hpp"

namespace espalier::discover {

/// Nodes of one member of a cluster that send to as many of another, each to one.
struct Transfer {
  FoundCluster* cluster = nullptr;
  std::size_t from = 0;
  std::size_t to = 0;
  std::vector<NodePair> flows;
  RateSeen seen;  ///< of a single flow
};
using TransferRounds = std::vector<std::vector<Transfer>>;

/// The nodes of a member, those that messages cost least first; ties go to the lower node.
[[nodiscard]] std::vector<Node> cheapest_first(const FoundCluster& member,
                                               std::span<const NodeCost> costs);

/// Each member of each cluster sends to the next one, round the ring, with up to `width` nodes.
///
/// In two or three rounds, so that no member sends and receives at the same time; in one where its
/// members are 1 ms apart or more and have other nodes that can receive: such links are full
/// duplex, and it is over them that transfers take long.
[[nodiscard]] TransferRounds ring(const std::vector<FoundCluster*>& level,
                                  std::span<const NodeCost> costs, std::size_t width);

}  // namespace espalier::discover
