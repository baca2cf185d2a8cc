#pragma once

#include "base/json.hpp"
#include "base/types.hpp"
#include "bound/witness.hpp"
#include "schedule/collective.hpp"
#include "topology/machine.hpp"

namespace espalier::bound {

struct LowerBound {
  Time value;
  Witness witness;
};

/// A time that no plan for this call on this machine can beat, whatever its messages and relays, if
/// node costs, latencies and shared capacities are the machine's, latency comes before bytes, and
/// messages from one rank to another follow each other (docs/simulation.md).
///
/// The largest of six kinds, each with its proof where it is computed: the way of a dependency
/// (relay_paths.hpp), how fast one rank can reach many (bound_kinds.hpp), what must pass the border
/// of a part, a union of parts or a backbone (bound_kinds.hpp), what keeps one processor busy, and
/// what all must combine (bound_kinds.hpp). Reductions that do not commute count runs of ranks
/// (needs.hpp). For any root, placement and block lengths.
///
/// O(P depth) but for ways, which take O(P^2) for each rank where they begin, for up to kWaysUpTo
/// ranks; above, ways and fans are left out and bytes count from time 0.
/// @pre call.size == machine.size()
[[nodiscard]] LowerBound lower_bound(const topology::Machine& machine,
                                     const schedule::Collective& call);
inline constexpr Rank kWaysUpTo = 2048;
/// Operations without a root: above, ways begin at one rank of each outermost cluster only.
inline constexpr Rank kAllWaysUpTo = 64;

/// The witness of a bound as docs/formats.md has it: all figures that a checker needs beside the
/// machine and the call.
[[nodiscard]] Json to_json(const LowerBound& bound, const topology::Machine& machine);

}  // namespace espalier::bound
