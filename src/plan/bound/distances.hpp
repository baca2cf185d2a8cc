#pragma once

#include <vector>

#include "topology/machine.hpp"

namespace espalier::bound {

/// For each part of a machine the least sum of a latency and the cost of a rank. A part is a member
/// of a cluster; its border is where its uplink meets the channel of that cluster.
struct Nearest {
  struct Sums {
    Time inside =
        kForever;  ///< least of the part's ranks, with the latency between rank and border
    Time outside =
        kForever;  ///< least of all other ranks, with the latency between border and rank
  };
  std::vector<Sums> clusters;  ///< [ClusterId]; of the whole machine nothing is outside
  std::vector<Sums> leaves;    ///< [Leaf]

  [[nodiscard]] const Sums& operator[](const topology::Member& part) const {
    return part.is_leaf ? leaves[part.id] : clusters[part.id];
  }
};

/// The least a(i) + latency(i, j) + b(j) of all ranks i of the part and all ranks j outside.
[[nodiscard]] inline Time least_across(const Nearest& a, const Nearest& b,
                                       const topology::Member& part) {
  return a[part].inside + b[part].outside;
}

/// Latencies of Machine::path(), which are the same both ways, along the tree of the machine: up to
/// the cluster where two ranks meet, over its channel, and down. So least sums over all pairs of
/// ranks take O(P) instead of O(P^2 depth). In clusters of n members where some pairs have
/// latencies of their own they take O(n^2).
class Distances {
 public:
  /// @pre the machine outlives it
  explicit Distances(const topology::Machine& machine);

  /// [rank] latency of the path from `source`; 0 to itself. O(P).
  [[nodiscard]] std::vector<Time> from(Rank source) const;

  /// [member] latency between a member of a cluster and each other one, over the channel or the
  /// link of the two. Its own means nothing.
  [[nodiscard]] std::vector<Time> between(const topology::Cluster& cluster,
                                          std::uint32_t member) const;

  /// @param cost [rank]
  [[nodiscard]] Nearest nearest(const std::vector<Time>& cost) const;

 private:
  /// Another member of the same cluster, at a latency of its own.
  struct Neighbour {
    std::uint32_t member = 0;
    Time latency;
  };
  [[nodiscard]] std::vector<Time> least_of_others(const topology::Cluster& cluster,
                                                  const Nearest& found) const;

  const topology::Machine& machine_;
  std::vector<Time> leaf_latency_;  ///< [Leaf] of its uplink
  /// Neighbours of the m-th of all members are [first_neighbour_[m], first_neighbour_[m + 1]).
  std::vector<std::uint32_t> first_neighbour_;
  std::vector<Neighbour> neighbours_;
};

}  // namespace espalier::bound
