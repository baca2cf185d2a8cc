#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "topology/resources.hpp"

namespace espalier::topology {

using ClusterId = std::uint32_t;  ///< index into Machine::clusters(); 0 is the whole machine
using Leaf = std::uint32_t;       ///< a place for a process, counted along the tree from the left

/// One level of the machine, slowest on top: the channel's name ("wan") and what it joins ("site").
struct LevelName {
  std::string channel;
  std::string members;
  friend bool operator==(const LevelName&, const LevelName&) = default;
};

/// A member of a cluster: another cluster, or a leaf.
struct Member {
  bool is_leaf = false;
  std::uint32_t id = 0;  ///< ClusterId or Leaf
  friend bool operator==(const Member&, const Member&) = default;
};

struct Cluster {
  std::string name;         ///< may be empty
  ClusterId parent = 0;     ///< the whole machine is its own parent
  std::uint32_t index = 0;  ///< position among the members of the parent
  std::uint32_t depth = 0;  ///< 0 for the whole machine; a cluster of level l has depth l + 1
  std::uint32_t first_member = 0;
  std::uint32_t member_count = 0;
  Leaf first_leaf = 0;  ///< all leaves below it are [first_leaf, first_leaf + leaf_count)
  std::uint32_t leaf_count = 0;
  std::uint32_t first_pair = 0;  ///< index of its first PairLink; ordered by (a, b)
  std::uint32_t pair_count = 0;
  Channel channel;
  Uplink uplink;
  friend bool operator==(const Cluster&, const Cluster&) = default;
};

/// How two processes reach each other when nobody else is sending.
struct Path {
  std::uint32_t level = 0;  ///< level of the channel that joins them; 0 is the slowest
  Time latency;
  Bandwidth bandwidth = kUnlimited;  ///< bandwidth of the narrowest resource on the path
  friend bool operator==(const Path&, const Path&) = default;
};

struct MachineSpec;
struct LevelScale;

/// A machine: a tree of clusters of any depth whose leaves carry one process each.
///
/// Levels are counted as in karonis2000: two processes communicate at level l if they share l
/// clusters below the whole machine, so level 0 is the slowest channel. A process below d clusters
/// (the whole machine among them) has depth d and one cluster id for each level 0 .. d-1, the last
/// one being its own. Depths may differ, clusters may be of any size, ranks may lie in any order.
///
/// A value: built once by build_machine(), never changed, cheap to compare. Memory: 12 bytes a
/// process, about 200 a cluster.
class Machine {
 public:
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Number of processes; at least 1.
  [[nodiscard]] Rank size() const { return static_cast<Rank>(leaf_of_rank_.size()); }
  /// Level names, outermost first; as many as the deepest process has levels.
  [[nodiscard]] std::span<const LevelName> levels() const { return levels_; }
  /// All clusters in depth-first order; [0] is the whole machine.
  [[nodiscard]] std::span<const Cluster> clusters() const { return clusters_; }
  [[nodiscard]] std::span<const Member> members(const Cluster& c) const;
  [[nodiscard]] std::span<const PairLink> pairs(const Cluster& c) const;

  [[nodiscard]] Leaf leaf_of(Rank rank) const { return leaf_of_rank_[rank]; }
  [[nodiscard]] Rank rank_at(Leaf leaf) const { return rank_of_leaf_[leaf]; }
  /// leaf_of() of every rank.
  [[nodiscard]] std::span<const Leaf> placement() const { return leaf_of_rank_; }
  /// The innermost cluster of a leaf.
  [[nodiscard]] ClusterId cluster_of(Leaf leaf) const { return leaves_[leaf].cluster; }
  [[nodiscard]] std::uint32_t index_in_cluster(Leaf leaf) const { return leaves_[leaf].index; }
  /// "" if it has none.
  [[nodiscard]] const std::string& leaf_name(Leaf leaf) const;
  [[nodiscard]] const Uplink& leaf_uplink(Leaf leaf) const;
  [[nodiscard]] const NodeCosts& leaf_costs(Leaf leaf) const;
  [[nodiscard]] const NodeCosts& costs(Rank rank) const { return leaf_costs(leaf_of(rank)); }

  /// Number of levels of this process.
  [[nodiscard]] std::uint32_t depth(Rank rank) const;
  /// The clusters of a process, from the outermost inwards, without the whole machine and itself.
  [[nodiscard]] std::vector<ClusterId> clusters_of(Rank rank) const;
  /// For each of its levels: which of all clusters of that level it is in, counted along the tree.
  /// Unique within the level.
  [[nodiscard]] std::vector<std::uint32_t> cluster_ids(Rank rank) const;
  /// As cluster_ids(), but counted within the cluster of the level above.
  [[nodiscard]] std::vector<std::uint32_t> member_path(Rank rank) const;
  /// "anl.m1.3", of names where there are names, else of indices.
  [[nodiscard]] std::string describe(Rank rank) const;

  /// O(depth), and O(log pairs) where a cluster has pairs of its own. From a rank to itself: depth,
  /// no latency, unlimited.
  [[nodiscard]] Path path(Rank from, Rank to) const;

  friend bool operator==(const Machine&, const Machine&) = default;

 private:
  friend class MachineBuilder;
  friend Machine with_placement(Machine machine, std::span<const Leaf> leaf_of_rank);
  friend Machine scale_level(Machine machine, const LevelScale& scale);

  struct LeafRecord {
    ClusterId cluster = 0;
    std::uint32_t index = 0;
    std::uint32_t profile = 0;
    friend bool operator==(const LeafRecord&, const LeafRecord&) = default;
  };
  /// Leaves with the same figures share one.
  struct LeafFigures {
    Uplink uplink;
    NodeCosts costs;
    friend bool operator==(const LeafFigures&, const LeafFigures&) = default;
  };

  Machine() = default;

  std::string name_;
  std::vector<LevelName> levels_;
  std::vector<Cluster> clusters_;
  std::vector<std::uint32_t> ordinal_;  ///< [ClusterId] number of the cluster within its level
  std::vector<Member> members_;
  std::vector<PairLink> pairs_;
  std::vector<LeafRecord> leaves_;
  std::vector<std::uint32_t> leaf_ordinal_;
  std::vector<std::string> leaf_names_;  ///< empty if no leaf has a name
  std::vector<LeafFigures> profiles_;
  std::vector<Leaf> leaf_of_rank_;
  std::vector<Rank> rank_of_leaf_;
};

/// The same machine with its ranks on other leaves.
/// @pre leaf_of_rank is a permutation of 0 .. size-1
[[nodiscard]] Machine with_placement(Machine machine, std::span<const Leaf> leaf_of_rank);

/// Rank r on leaf r.
[[nodiscard]] std::vector<Leaf> block_placement(const Machine& machine);
/// Round robin over the innermost clusters; a full one is passed over.
[[nodiscard]] std::vector<Leaf> cyclic_placement(const Machine& machine);
[[nodiscard]] std::vector<Leaf> random_placement(const Machine& machine, std::uint64_t seed);

}  // namespace espalier::topology
