#pragma once

#include "discover/far_rates.hpp"
#include "discover/found.hpp"
#include "discover/rates.hpp"

namespace espalier::discover {

/// Bytes from one member of a cluster to another.
struct Transfer {
  FoundCluster* cluster = nullptr;
  std::size_t from = 0;
  std::size_t to = 0;
  std::vector<NodePair> pairs;  ///< up to 4 that may send at once; the first also does alone
  RateSeen alone;
  Bandwidth together;  ///< what all pairs get at once
};
/// Those of a round run at the same time: no two leave, or reach, the same member.
using TransferRounds = std::vector<std::vector<Transfer>>;

[[nodiscard]] bool is_far(const FoundCluster& cluster);

/// Nodes of a member, those that cost least first.
[[nodiscard]] std::vector<Node> speakers(const FoundCluster& member,
                                         std::span<const NodeCost> costs);

/// Each member to the next one, round the ring. Over far links in one round if every member has
/// nodes to send and others to receive, else in two or three.
/// @param costs of the nodes: the cheapest speak first
[[nodiscard]] TransferRounds ring(std::span<FoundCluster* const> level,
                                  std::span<const NodeCost> costs);

/// Fills in `alone`, and over far links what `together` their pairs get.
Expected<bool> measure_alone(Prober& prober, TransferRounds& rounds);

/// What is left to be seen of flows at once: over near links, all of several pairs; over far ones,
/// those that have more pairs if their members take turns, unless a few filled the link already.
[[nodiscard]] TransferRounds lacking(const TransferRounds& rounds, std::span<const NodeCost> costs);

/// Fills in `together`. @pre lacking() gave them
Expected<bool> measure_together(Prober& prober, TransferRounds& rounds);

}  // namespace espalier::discover
