#pragma once

#include <vector>

#include "topology/machine.hpp"

namespace espalier::bound {

/// The least time in which a message of no bytes can get from one rank to each other, over any
/// relays: latencies, and the fixed costs of sending and receiving of all who handle it. Dijkstra
/// on all pairs, O(P^2). To the source itself: 0.
[[nodiscard]] std::vector<Time> ways_from(const topology::Machine& machine, Rank source);
/// The same to one rank from each other.
[[nodiscard]] std::vector<Time> ways_to(const topology::Machine& machine, Rank target);

}  // namespace espalier::bound
