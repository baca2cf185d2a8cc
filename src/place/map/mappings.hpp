#pragma once

#include <cstdint>

#include "map/problem.hpp"
#include "map/replay.hpp"

namespace espalier::map {

// Mappings of processes to slots by the traffic between processes. They know neither the order of
// messages nor the speed of nodes. `slots` are in the order of preference: with n processes, the
// first n are used; greedy_placement chooses among all. All obey pins.

/// Goes up the machine's tree: processes are joined into groups of a host's size, these into groups
/// of a cluster's number of hosts, and so on, each by affinity (E. Jeannot, G. Mercier, F. Tessier:
/// "Process placement in multicore clusters: algorithmic issues and practical techniques", IEEE
/// TPDS 2014). In that style: groups grow greedily, where TreeMatch searches among all groups for
/// small ones.
[[nodiscard]] Placement grouped_placement(const Problem& problem,
                                          const std::vector<std::uint32_t>& slots);

/// Places one process after the other: next comes the one with most traffic to those already
/// placed; it gets the slot where that traffic costs least.
[[nodiscard]] Placement greedy_placement(const Problem& problem,
                                         const std::vector<std::uint32_t>& slots);

/// Improves total_cost() by swaps, and by moves to free slots, near the partners of each process;
/// until none helps, or `most_moves` were tried and edges looked at `most_looks` times. For large
/// machines, where replays take too long.
/// @return how often an edge was looked at: a move looks at all of two processes, twice
std::uint64_t refine(const Problem& problem, Placement& placement, std::uint64_t most_moves,
                     std::uint64_t most_looks = ~std::uint64_t{0});

/// Improves the replayed time: takes the first improvement among all swaps and moves in random
/// order; at a local optimum it makes a few random swaps and goes on (iterated local search: H.
/// Lourenco, O. Martin, T. Stuetzle, 2003). Ends when the replays have taken `most_steps` steps.
/// @return the predicted time of what `placement` has become
Time search(const Problem& problem, Replayer& replayer, std::uint64_t steps_a_replay,
            std::uint64_t most_steps, std::uint64_t seed, Placement& placement);

}  // namespace espalier::map
