#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/plan_cache.hpp"
#include "topology/machine.hpp"

namespace espalier::runtime {

/// A message of one rank to some of the others, as all ranks of a communicator know it.
struct MulticastCall {
  Rank root = 0;
  std::uint64_t bytes = 0;
  std::vector<Rank> to = {};  ///< receivers in the caller's order, without the root, none twice
  friend auto operator<=>(const MulticastCall&, const MulticastCall&) = default;

  [[nodiscard]] bool has(Rank rank) const;
};

/// So many run at once: a message's number in its tag (runtime/tags.hpp) is that of its multicast,
/// and has five bits where MPI gives the fewest.
inline constexpr std::size_t kMulticastsAtOnce = 32;
/// Trees of several are built together up to so many destinations in all; above that takes too
/// long.
inline constexpr std::size_t kTogetherUpTo = 1024;

/// This rank's part of one multicast: the fastest tree over levels by prediction, on the part of
/// the machine that its members see. Its data lie at the beginning of Out. No member: an empty
/// program.
[[nodiscard]] CachedPlan plan_multicast(const topology::Machine& machine, const MulticastCall& call,
                                        Rank rank);

/// This rank's part of several at once, along trees that know of each other
/// (tree/multiple_multicast.hpp): the data of those that it is a member of lie in Out, one after
/// the other. Not planned where one after the other, each along plan_multicast(), is predicted to
/// be as fast: long messages are better cut.
/// @pre at least two, at most kMulticastsAtOnce
[[nodiscard]] CachedPlan plan_multicasts(const topology::Machine& machine,
                                         std::span<const MulticastCall> calls, Rank rank);

}  // namespace espalier::runtime
