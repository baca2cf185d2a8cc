#pragma once

#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "collective/folded_runs.hpp"
#include "collective/hierarchy.hpp"
#include "collective/multilevel.hpp"
#include "cost/cost_view.hpp"

namespace espalier::collective {

/// The tree of a shape over a group of so many, the same for all groups of that size.
class GroupTree {
 public:
  GroupTree(Shape shape, Rank size);
  /// Positions in the order of sending.
  [[nodiscard]] std::span<const Rank> children(Rank position) const {
    return std::span(children_).subspan(first_[position], first_[position + 1] - first_[position]);
  }
  [[nodiscard]] std::uint32_t generation(Rank position) const { return generations_[position]; }

 private:
  std::vector<Rank> children_;
  std::vector<std::uint32_t> first_;        // [position], and the end
  std::vector<std::uint32_t> generations_;  // [position]
};

/// A machine with its equal parts told once, for plans over levels.
///
/// In each group of masters the master's own part is kept, and the first of each class of equal
/// parts. Of all other parts only their master is left. Parts are equal if all their figures are
/// (cost/equal_parts.hpp) and the master lies at the same place. Of parts that are kept and equal
/// to an earlier one, anywhere in the machine, nothing is left but the masters of their members,
/// and of the first member in turn: the earlier one tells the rest. So the machine that is left is
/// as large as the number of different parts: on equal machines the members of each level, once
/// for each level above and one more.
///
/// O(ranks that are left) to make. The whole hierarchy must outlive it. Not thread-safe.
class FoldedMachine {
 public:
  /// @param depth so many levels are kept, but for the parts that are joined there: for plans over
  ///              all clusters of that depth. 1: nothing is kept but for what is told above
  /// @pre whole.shape().can_fold, depth > 0
  FoldedMachine(const Hierarchy& whole, Rank root, const topology::Transport& transport,
                std::uint32_t depth = 1);
  FoldedMachine(const FoldedMachine&) = delete;
  FoldedMachine& operator=(const FoldedMachine&) = delete;

  [[nodiscard]] const Hierarchy& hierarchy() const { return hierarchy_; }
  [[nodiscard]] const cost::CostView& cost_view() const { return cost_view_; }
  [[nodiscard]] Rank root() const { return root_; }  ///< rank of the root on the folded machine
  /// The hierarchy of all ranks, whose equal parts stand here once.
  [[nodiscard]] const Hierarchy& whole() const { return whole_; }
  /// The same machine for plans over all clusters of a depth.
  [[nodiscard]] FoldedMachine at_depth(std::uint32_t depth) const;
  /// Of the whole machine: MachineShape::is_aligned.
  [[nodiscard]] bool is_aligned() const { return is_aligned_; }
  /// The part that is told instead of this one; itself if it is told.
  [[nodiscard]] topology::ClusterId told_by(topology::ClusterId cluster) const {
    return told_by_[cluster];
  }
  /// The part whose groups are equal to those of this one and are told in full; itself if its own
  /// are. @pre told_by(cluster) == cluster
  [[nodiscard]] topology::ClusterId alike(topology::ClusterId cluster) const {
    return alike_[cluster];
  }
  /// Hierarchy::masters_of_members() for the root, worked out when it is first asked for.
  [[nodiscard]] std::span<const Rank> masters_in(topology::ClusterId cluster) const;
  /// Worked out when it is first asked for.
  [[nodiscard]] const GroupTree& group_tree(Shape shape, Rank size) const;
  /// Processes with the same figures have the same number.
  [[nodiscard]] std::uint32_t figures_of(Rank rank) const { return figures_[rank]; }
  /// The whole machine by the last ranks of its parts, worked out when it is first asked for.
  /// Null: its ranks do not lie in order.
  [[nodiscard]] const FoldedRuns* runs() const;
  [[nodiscard]] const topology::Transport& transport() const { return transport_; }

 private:
  struct Parts;
  FoldedMachine(Parts parts, const Hierarchy& whole, Rank whole_root,
                const topology::Transport& transport);
  static Parts fold(const Hierarchy& whole, Rank root, std::uint32_t depth);

  topology::Machine machine_;
  Hierarchy hierarchy_;
  cost::CostView cost_view_;
  Rank root_;
  bool is_aligned_;
  std::vector<topology::ClusterId> told_by_;
  std::vector<topology::ClusterId> alike_;
  std::vector<std::uint32_t> figures_;
  const Hierarchy& whole_;
  Rank whole_root_;
  topology::Transport transport_;
  mutable std::unique_ptr<FoldedRuns> runs_;
  mutable std::vector<std::vector<Rank>> masters_;  // [ClusterId]; empty: not known yet
  mutable std::map<std::pair<Shape, Rank>, GroupTree> group_trees_;
};

}  // namespace espalier::collective
