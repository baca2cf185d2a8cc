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
    Fan,        ///< one rank must reach (or hear from) so many others
    Cut,        ///< so many bytes must enter or leave a part of the machine
    Backbone,   ///< so many bytes must cross the backbone of a part
    Processor,  ///< one rank must send or receive so many bytes
    Combining,  ///< so many bytes must be combined, by all ranks together
  };
  /// What the bytes of a Cut pass.
  enum class Through : std::uint8_t {
    Uplink,  ///< the part's own
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
  Bytes bytes;                         ///< that must pass; Processor: that it sends
  Bytes bytes_in;                      ///< Processor: that it receives
  Bandwidth capacity;                  ///< of what they must pass; Combining: of all ranks
  Time before;                         ///< none of them has passed earlier than that
  Time after;                          ///< so much remains when the last has passed
  std::vector<Rank> path;              ///< of a Way
  Rank rank = kNoRank;                 ///< Fan: the one; Processor: whose
  Rank reached = 0;                    ///< Fan: so many others
  Time own;                            ///< Fan: what each message costs the one itself
  Time send;                           ///< Fan: the least fixed costs and latency of all
  Time latency;
  Time recv;

  friend bool operator==(const Witness&, const Witness&) = default;
};

/// "1 MiB must leave site anl at 100 Mbit/s, not before 30 ms"
[[nodiscard]] std::string describe(const Witness& witness, const topology::Machine& machine);

/// The ranks of the part of a Cut, Backbone or Processor, in rank order.
[[nodiscard]] std::vector<Rank> ranks_of_part(const Witness& witness,
                                              const topology::Machine& machine);

}  // namespace espalier::bound
