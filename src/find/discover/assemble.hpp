#pragma once

#include "discover/discovered.hpp"

namespace espalier::discover {

/// A machine of all that was found: clusters of the network, nodes, and the inside of nodes.
Expected<topology::Machine> assemble(const FoundCluster& whole, std::span<const NodeCost> costs,
                                     std::span<const NodeInfo> nodes);

/// What the channels and members of the network's levels are called, from their latencies: "wan"
/// between sites (1 ms and more), "lan", "network" (below 50 us).
[[nodiscard]] std::vector<topology::LevelName> network_levels(const FoundCluster& whole);

}  // namespace espalier::discover
