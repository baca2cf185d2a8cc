#pragma once

#include <optional>
#include <vector>

#include "bound/distances.hpp"
#include "bound/parts.hpp"
#include "bound/relay_paths.hpp"
#include "bound/witness.hpp"

namespace espalier::bound {

/// When bytes can cross a border: none before a message that crosses it can have been sent and its
/// latency is over; and when the last has crossed, its message is still to be received, and to be
/// passed on to its end.
struct Passage {
  Time before = kForever;
  Time after = kForever;
};

/// The passages of one call over any border of a machine: least times over all pairs of a rank
/// inside and one outside, along the tree of the machine instead of pair by pair. All times are 0
/// without `distances`: above kWaysUpTo ranks.
class Passages {
 public:
  /// @pre the machine outlives it
  Passages(const topology::Machine& machine, const Distances* distances, Reach reach);

  [[nodiscard]] const Reach& reach() const { return reach_; }

  /// Over the border of a part. O(its leaves).
  [[nodiscard]] Passage across(const topology::Member& part, Witness::Direction direction) const;
  /// Over the border of some members of a cluster, taken together. O(members^2 + leaves).
  /// @param members indices among the members of the cluster; neither none nor all
  [[nodiscard]] Passage across(topology::ClusterId cluster,
                               const std::vector<std::uint32_t>& members,
                               Witness::Direction direction) const;
  /// When the first message can have come to a rank.
  [[nodiscard]] Time soonest_in(Rank rank) const;
  /// How long after a rank has sent its last message all can be done.
  [[nodiscard]] Time soonest_end(Rank rank) const;

 private:
  /// Least sums with nothing; with when a rank can have sent; with what is left after a message.
  struct Sums {
    Nearest plain, sent, rest;
  };
  [[nodiscard]] Time least_rest(const Stretch& stretch) const;
  [[nodiscard]] Time least_rest_outside(const Stretch& stretch) const;
  [[nodiscard]] Time least_across_union(const Nearest& inside, const Nearest& outside,
                                        topology::ClusterId cluster,
                                        const std::vector<std::uint32_t>& members) const;

  const topology::Machine& machine_;
  const Distances* distances_;
  Reach reach_;
  std::optional<Sums> sums_;
  std::vector<Time> rest_;    ///< [Leaf] receiving a message there, and what remains then
  std::vector<Time> before_;  ///< [Leaf] least of rest_ before this leaf; one more
  std::vector<Time> behind_;  ///< [Leaf] least of rest_ from this leaf on; one more
};

}  // namespace espalier::bound
