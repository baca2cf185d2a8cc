#pragma once

#include <span>

#include "collective/multilevel_calls.hpp"
#include "schedule/schedule.hpp"

namespace espalier::collective {

/// Broadcast to some of a machine's ranks: the multilevel tree over these alone. Clusters without
/// any of them are passed by, and the message crosses a cluster's channel once for each further
/// member in which there are some.
///
/// It is a broadcast on the machine that they see (topology::submachine), so any of its shapes and
/// segments will do: trees, chains.
struct Multicast {
  std::vector<Rank> members;  ///< different ranks of the machine, the root among them
  Rank root = 0;
  std::uint64_t count = 0;  ///< number of elements
  Bytes element{1};
};

/// This rank's own part, empty if it is no member.
/// @pre one level choice for each level of the machine
[[nodiscard]] schedule::Program multicast_program(const topology::Machine& machine,
                                                  const MultilevelChoice& choice,
                                                  const Multicast& multicast, Rank rank);

/// All members' parts as the broadcast of a group of their own, members[i] being rank i: to verify,
/// or to simulate on the submachine.
[[nodiscard]] schedule::Schedule multicast_schedule(const topology::Machine& machine,
                                                    const MultilevelChoice& choice,
                                                    const Multicast& multicast);

}  // namespace espalier::collective
