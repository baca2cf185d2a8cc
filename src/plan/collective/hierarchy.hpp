#pragma once

#include <map>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "collective/machine_shape.hpp"
#include "topology/machine.hpp"

namespace espalier::collective {

/// Which rank is the master of each cluster of a machine.
///
/// karonis2000: the lowest rank of a cluster is its master, but the root of a collective stands in
/// for the master of every cluster it is in. So the root's bytes leave its site once for each other
/// site, whatever its rank. O(processes + clusters log clusters) to make, but for chains
/// among members of different links; O(1) a question. The machine must outlive it.
class Hierarchy {
 public:
  explicit Hierarchy(const topology::Machine& machine);

  [[nodiscard]] const topology::Machine& machine() const { return machine_; }
  /// Its equal parts and its cheapest messages.
  [[nodiscard]] const MachineShape& shape() const { return shape_; }
  [[nodiscard]] bool contains(topology::ClusterId cluster, Rank rank) const;
  /// The rank that speaks for a cluster in a collective rooted at `root`.
  [[nodiscard]] Rank master(topology::ClusterId cluster, Rank root) const;
  [[nodiscard]] Rank lowest_rank(topology::ClusterId cluster) const {
    return lowest_rank_[cluster];
  }
  /// One rank for each member of the cluster: its process, or the master of that sub-cluster. The
  /// master of the cluster itself comes first, then the members after it and around.
  [[nodiscard]] std::vector<Rank> masters_of_members(topology::ClusterId cluster, Rank root) const;
  /// The members of a cluster in the order in which a chain visits them from this one on, by index.
  /// Where links of single pairs differ, of some ways through all members one without long edges;
  /// else, and among more than 64 members, empty: the members after it and around.
  [[nodiscard]] std::span<const std::uint32_t> chain_from(topology::ClusterId cluster,
                                                          std::uint32_t first) const;
  /// The different numbers of members that clusters of this depth have, rising.
  [[nodiscard]] std::span<const Rank> group_sizes(std::uint32_t depth) const {
    return group_sizes_[depth];
  }
  /// The clusters in whose groups of masters this rank takes part, outermost first. In all but the
  /// first it is the master of the cluster itself; in the first too if it is the root.
  [[nodiscard]] std::vector<topology::ClusterId> groups_of(Rank rank, Rank root) const;

 private:
  const topology::Machine& machine_;
  std::vector<Rank> lowest_rank_;  // [ClusterId]
  MachineShape shape_;
  std::vector<std::vector<Rank>> group_sizes_;                                     // [depth]
  std::map<topology::ClusterId, std::vector<std::vector<std::uint32_t>>> chains_;  // [first]
};

}  // namespace espalier::collective
