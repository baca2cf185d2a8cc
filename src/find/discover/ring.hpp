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
  RateSeen seen;                    ///< of a single flow
  Bandwidth together = kUnlimited;  ///< all flows at once, in sum, over far links
};
using TransferRounds = std::vector<std::vector<Transfer>>;

/// The nodes of a member, those that messages cost least first; ties go to the lower node.
[[nodiscard]] std::vector<Node> cheapest_first(const FoundCluster& member,
                                               std::span<const NodeCost> costs);

/// Each member of each cluster sends to the next one, round the ring, with up to `width` nodes.
///
/// In two or three rounds, so that no member sends while it receives, not even at different nodes:
/// what asks and answers for a transfer would wait in line behind the bytes of the other one (64
/// instead of 94 Mbit/s over 10 ms).
[[nodiscard]] TransferRounds ring(const std::vector<FoundCluster*>& level,
                                  std::span<const NodeCost> costs, std::size_t width);

}  // namespace espalier::discover
