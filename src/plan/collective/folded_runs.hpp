#pragma once

#include <span>
#include <vector>

#include "collective/hierarchy.hpp"
#include "collective/multilevel.hpp"
#include "cost/cost_view.hpp"

namespace espalier::collective {

/// A machine whose ranks lie in order, told by the last ranks of its different parts: what scans
/// over levels go by.
///
/// Of each class of equal clusters the first is told, with the last rank of each of its members.
/// O(ranks that are left) to make; the whole machine need not outlive it.
class FoldedRuns {
 public:
  static constexpr std::uint32_t kProcess = ~std::uint32_t{0};

  /// A cluster that stands for all equal ones.
  struct Part {
    std::uint32_t depth = 0;
    std::vector<Rank> ends;              ///< last rank of each member, by the folded machine
    std::vector<std::uint32_t> told_by;  ///< the part that tells each member, or kProcess
  };

  /// @param seen_at the machine is seen as clusters of this depth, and all ranks side by side in
  ///                them; 0: as it is
  /// @pre whole.shape().can_fold, whole.shape().in_order; seen_at == 0 || whole.shape().is_regular
  FoldedRuns(const Hierarchy& whole, const topology::Transport& transport,
             std::uint32_t seen_at = 0);
  FoldedRuns(const FoldedRuns&) = delete;
  FoldedRuns& operator=(const FoldedRuns&) = delete;

  [[nodiscard]] const cost::CostView& cost_view() const { return cost_view_; }
  /// The first is the whole machine; in the order of ranks on each level.
  [[nodiscard]] std::span<const Part> parts() const { return parts_; }

 private:
  struct Told;
  FoldedRuns(Told told, const topology::Transport& transport);
  static Told tell(const Hierarchy& whole, std::uint32_t seen_at);

  topology::Machine machine_;
  cost::CostView cost_view_;
  std::vector<Part> parts_;
};

/// The estimate of a scan over levels: multilevel_scan_time(), to the rounding of sums.
/// O(ranks that are left).
[[nodiscard]] cost::Picos folded_scan_time(std::span<const LevelChoice> choices,
                                           const FoldedRuns& runs, double bytes);

}  // namespace espalier::collective
