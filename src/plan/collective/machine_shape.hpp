#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "cost/least_costs.hpp"
#include "topology/machine.hpp"

namespace espalier::collective {

/// What plans, their estimates and their bounds ask of a machine again and again, worked out once
/// for each machine. O(processes + clusters log clusters) to make; 8 bytes a cluster.
struct MachineShape {
  /// @param lowest_ranks the lowest rank of each cluster
  MachineShape(const topology::Machine& machine, std::span<const Rank> lowest_ranks);

  bool in_order = true;  ///< rank r lies on leaf r
  /// Ranks are dealt out to so many innermost clusters in turn (cyclic placement); 0: they are not,
  /// or that is the order of the leaves.
  Rank dealt_to = 0;
  bool in_turn = true;  ///< ranks follow each other along the leaves, and around from any of them
  /// Ranks lie in order, and all clusters of a depth below the whole have the same number of ranks,
  /// a power of two. Then a binomial tree by number is one over masters, level by level.
  bool is_aligned = true;
  bool equal_senders = true;  ///< all ranks have the same costs of sending
  bool equal_takers = true;   ///< all ranks have the same costs of receiving and combining
  bool equal_nodes = true;    ///< all ranks have the same costs
  bool equal_links = true;    ///< all ranks have the same links of their own
  bool equally_late = true;   ///< all uplinks of a depth have the same latency
  /// All processes lie on innermost clusters and are equal, and all clusters of a depth with their
  /// uplinks. Then exchanges that do the same on all ranks, along the machine, are told by one.
  bool equal_parts = false;
  bool is_regular = false;   ///< equal_parts, and ranks lie in order
  bool reaches_far = false;  ///< a channel is far (topology::Transport)
  /// A cluster has so long a latency that going out of it and back in is shorter.
  bool has_detours = false;
  Rank largest_outermost = 1;  ///< most ranks of a member of the whole machine
  Rank smallest_outermost;     ///< fewest ranks of one
  /// Whether trees over its levels can be told by parts: several clusters, no links of single
  /// pairs, and no limited backbone but the outermost. (Inner ones are shared by what goes on
  /// inside and by what leaves, so that equal parts would differ by what their masters send.)
  bool can_fold = false;
  /// Of each cluster the index of the member in which its lowest rank lies. Empty: cannot fold.
  std::vector<std::uint32_t> places;
  /// Clusters of the same number are equal, their lowest ranks at the same place.
  /// Empty: cannot fold.
  std::vector<std::uint32_t> classes;
  cost::LeastCosts least;  ///< lower bounds of what messages cost
};

/// Index of the member of a cluster in which a leaf lies. O(log members).
/// @pre the leaf is in the cluster
[[nodiscard]] std::uint32_t member_with(const topology::Machine& machine,
                                        const topology::Cluster& cluster, topology::Leaf leaf);

}  // namespace espalier::collective
