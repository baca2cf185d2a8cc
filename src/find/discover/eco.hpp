#pragma once

#include "discover/round_trips.hpp"

namespace espalier::discover {

/// Baselines: grouping by round trip alone, which takes a slow workstation for a far one.
///
/// B. Lowekamp, A. Beguelin: "ECO: Efficient Collective Operations for communication on
/// heterogeneous networks", IPPS 1996: shortest pairs first, two groups become one if their link is
/// at most `tolerance` times the shortest of both nodes and of both groups. ECO knows one level.
[[nodiscard]] std::vector<std::vector<Node>> eco_groups(const RoundTrips& seen,
                                                        double tolerance = 1.2);

/// Groups of nodes that are joined by round trips of at most `limit`.
[[nodiscard]] std::vector<std::vector<Node>> groups_within(const RoundTrips& seen, Time limit);

}  // namespace espalier::discover
