#pragma once

#include <cstdint>

#include "map/replay.hpp"

namespace espalier::map {

/// Swaps, and moves to free slots, that make the sum of all edges' costs smaller, next to the
/// partners of each process; until none is found or `most_moves` were tried. Sorting out who
/// belongs together on large machines, where replays are dear.
void refine(const Problem& problem, Placement& placement, std::uint64_t most_moves);

/// The same on the predicted time: first improvement among all swaps and moves in random order;
/// from a local optimum on again after a few random swaps (iterated local search: H. Lourenco,
/// O. Martin, T. Stuetzle, 2003). Until the replays have taken `most_steps`.
/// @return the predicted time of what `placement` has become
Time search(const Problem& problem, Replayer& replayer, std::uint64_t steps_a_replay,
            std::uint64_t most_steps, std::uint64_t seed, Placement& placement);

}  // namespace espalier::map
