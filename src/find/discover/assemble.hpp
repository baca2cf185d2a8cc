#pragma once

#include "discover/discovered.hpp"
#include "discover/found.hpp"

namespace espalier::discover {

/// Builds the machine from all that was found: clusters of the network, nodes, insides of nodes.
Expected<topology::Machine> assemble(const FoundCluster& whole, std::span<const NodeCost> costs,
                                     std::span<const NodeInfo> nodes);

/// What the channels and members of the network's levels are called, from their latencies: "wan"
/// between sites (1 ms and more), "lan", "network" (below 50 us).
[[nodiscard]] std::vector<topology::LevelName> network_levels(const FoundCluster& whole);

/// What was found, in sentences: "2 sites 10.1 ms apart", "b1n3 sends 4.0 x slower than its
/// neighbours".
[[nodiscard]] std::vector<std::string> in_words(const FoundCluster& whole,
                                                std::span<const UnusualNode> unusual,
                                                std::span<const NodeInfo> nodes,
                                                std::span<const std::optional<EagerLimit>> eager);

/// How far measured round trips are from what latencies and costs predict. Pairs that are off by
/// more than a quarter and by more than 50 us are named as outliers.
[[nodiscard]] Fit fit_of(const Survey& survey, const FoundCluster& whole,
                         std::span<const NodeInfo> nodes);

}  // namespace espalier::discover
