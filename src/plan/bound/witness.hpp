#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "topology/machine.hpp"

namespace espalier::bound {

/// Why no plan can be faster: something has to get somewhere, and this is in the way. It carries
/// all that is needed to prove the bound again from the machine and the call alone, as
/// tests/bound/check_witness.py does.
struct Witness {
  enum class Kind : std::uint8_t {
    Nothing,    ///< the call moves nothing
    Way,        ///< what the first of `path` has must reach the last, also over relays
    Fan,        ///< one rank must reach (or hear from) `reached` others
    Cut,        ///< `bytes` must enter or leave a part of the machine
    Backbone,   ///< `bytes` must cross the backbone of a part
    Processor,  ///< one rank must send or receive `bytes`
    Combining,  ///< all ranks together must combine `bytes`
  };
  /// What the bytes of a Cut pass.
  enum class Through : std::uint8_t {
    Uplink,  ///< uplink of the part
    Flows,   ///< connections between a rank inside and one outside, each with its cap
    Pairs,   ///< direct links between members of a cluster, some of which are the part
  };
  enum class Direction : std::uint8_t { Out, In, Both };

  Kind kind = Kind::Nothing;
  Through through = Through::Uplink;
  Direction direction = Direction::Out;
  bool part_is_leaf = false;           ///< the part is the process on this leaf, else a cluster
  std::uint32_t part = 0;              ///< ClusterId or Leaf
  std::vector<std::uint32_t> members;  ///< Pairs: the part is these members of the cluster
  Bytes bytes;                         ///< bytes that must pass; Processor: bytes that it sends
  Bytes bytes_in;                      ///< Processor: bytes that it receives
  Bandwidth capacity;      ///< capacity that the bytes must pass; Combining: sum over all ranks
  Time before;             ///< no byte has passed earlier
  Time after;              ///< time that remains when the last byte has passed
  std::vector<Rank> path;  ///< Way: ranks from the first to the last, relays included
  Rank rank = kNoRank;     ///< Fan: the one rank; Processor: its rank
  Rank reached = 0;        ///< Fan: number of other ranks
  Time own;                ///< Fan: cost of each message for the one rank
  Time send;               ///< Fan: least fixed cost of sending of all ranks
  Time latency;            ///< Fan: least latency of all pairs
  Time recv;               ///< Fan: least fixed cost of receiving of all ranks

  friend bool operator==(const Witness&, const Witness&) = default;
};

/// "1 MiB must leave site anl at 100 Mbit/s, nothing arrives before 30 ms"
[[nodiscard]] std::string describe(const Witness& witness, const topology::Machine& machine);

/// The ranks of the part of a Cut, Backbone or Processor, in rank order.
[[nodiscard]] std::vector<Rank> ranks_of_part(const Witness& witness,
                                              const topology::Machine& machine);

}  // namespace espalier::bound
