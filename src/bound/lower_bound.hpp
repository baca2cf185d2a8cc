#pragma once

#include <cstdint>
#include <string>

#include "base/types.hpp"
#include "schedule/collective.hpp"
#include "topology/machine.hpp"

namespace espalier::bound {

/// Why no plan can be faster: something has to get somewhere, and this is in the way.
struct Witness {
  enum class Kind : std::uint8_t {
    Nothing,   ///< the call moves nothing
    Way,       ///< what `from` has must reach `to`, also over relays
    Out,       ///< so many bytes must leave the part
    In,        ///< so many bytes must enter it
    Both,      ///< the two share one half-duplex uplink
    Backbone,  ///< so many bytes must cross the backbone of the part
  };
  Kind kind = Kind::Nothing;
  Rank from = kNoRank;  ///< of a Way
  Rank to = kNoRank;
  bool part_is_leaf = false;  ///< the part is the process on this leaf, else a cluster
  std::uint32_t part = 0;     ///< ClusterId or Leaf
  Bytes bytes;                ///< that must pass
  Bandwidth capacity;         ///< of what they must pass
  Time before;                ///< nothing can have passed earlier than that
};

struct LowerBound {
  Time value;
  Witness witness;
};

/// A time that no plan for this call on this machine can beat, whatever its messages and relays, if
/// node costs, latencies and shared capacities are the machine's.
///
/// The largest of three kinds, each with its proof where it is computed (lower_bound.cpp): the way
/// of a dependency, the bytes that must enter or leave each part of the machine, the bytes that
/// must cross each backbone. Reductions that do not commute count one partial result for each run
/// of ranks. O(P^2) for up to kWaysUpTo ranks; above, ways are left out and a part's bytes count
/// from time 0.
/// @pre call.size == machine.size(), regular calls only (counts empty)
[[nodiscard]] LowerBound lower_bound(const topology::Machine& machine,
                                     const schedule::Collective& call);
inline constexpr Rank kWaysUpTo = 2048;

/// "1 MiB must leave site anl at 100 Mbit/s, not before 30 ms"
[[nodiscard]] std::string describe(const Witness& witness, const topology::Machine& machine);

}  // namespace espalier::bound
