#pragma once

#include <compare>
#include <cstdint>
#include <map>
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

/// Most multicasts that run at once. The number of a message in its tag (runtime/tags.hpp) is that
/// of its multicast, and has five bits where MPI gives the fewest.
inline constexpr std::size_t kMulticastsAtOnce = 32;
/// Trees of several multicasts are built together up to this many destinations in total; more would
/// take too long.
inline constexpr std::size_t kTogetherUpTo = 1024;

/// This rank's part of one multicast: the fastest tree over levels by prediction, on the machine of
/// its members. The data lie at the beginning of Out. The program is empty on ranks outside.
[[nodiscard]] CachedPlan plan_multicast(const topology::Machine& machine, const MulticastCall& call,
                                        Rank rank);

/// This rank's part of several multicasts at once, along trees built together
/// (tree/multiple_multicast.hpp). The data of multicasts that this rank is a member of lie in Out,
/// one after the other. Not planned if running them one by one, each along plan_multicast(), is
/// predicted to be as fast: long messages are better cut.
/// @pre 2 to kMulticastsAtOnce calls
[[nodiscard]] CachedPlan plan_multicasts(const topology::Machine& machine,
                                         std::span<const MulticastCall> calls, Rank rank);

/// This rank's parts of the multicasts that one communicator had last.
class MulticastPlans {
 public:
  /// Makes the plan if it is not known. @pre the machine is always the same, until forget(); at
  /// most kMulticastsAtOnce calls. Valid until the next find()
  const CachedPlan& find(const topology::Machine& machine, const std::vector<MulticastCall>& calls,
                         Rank rank);
  void forget() { plans_.clear(); }

 private:
  static constexpr std::size_t kMost = 256;
  std::map<std::vector<MulticastCall>, CachedPlan> plans_;
};

}  // namespace espalier::runtime
