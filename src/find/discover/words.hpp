#pragma once

#include "discover/discovered.hpp"
#include "discover/unusual_nodes.hpp"

namespace espalier::discover {

/// What was found, in sentences: "2 sites 10.1 ms apart", "b1n3 sends 4.0 x slower than its
/// neighbours".
[[nodiscard]] std::vector<std::string> in_words(const FoundCluster& whole,
                                                std::span<const UnusualNode> unusual,
                                                std::span<const NodeInfo> nodes,
                                                std::span<const std::optional<EagerLimit>> eager);

/// How far the round trips are from what latencies and costs say. Named are those that are off by
/// more than a quarter and by more than 50 us.
[[nodiscard]] Fit fit_of(const Survey& survey, const FoundCluster& whole,
                         std::span<const NodeInfo> nodes);

}  // namespace espalier::discover
