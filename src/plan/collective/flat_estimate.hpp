#pragma once

#include <vector>

#include "collective/multilevel.hpp"
#include "cost/rounds.hpp"
#include "cost/whole_tree.hpp"
#include "schedule/collective.hpp"

namespace espalier::collective {

/// What estimates of classical algorithms stand on: the ranks in the order in which the algorithm
/// counts them, and their clocks. Each algorithm says what it does in words of rounds, trees and
/// rings; docs/collectives.md has the steps and bytes.
struct FlatEstimate {
  /// @pre more than one rank
  FlatEstimate(const cost::CostView& costs, const schedule::Collective& of,
               std::vector<Rank> order);

  const cost::CostView& cost_view;
  const schedule::Collective& call;
  double bytes;  ///< bytes of the vector or of a block
  double size;
  cost::Rounds rounds;
  std::vector<Rank> everybody;

  [[nodiscard]] std::vector<Rank> from_root() const;
  /// Over everybody, from the root on.
  [[nodiscard]] cost::WholeTree tree(Shape shape) const;
};

/// With more ranks all_combine() goes by what each link has to carry.
inline constexpr Rank kCombinedByFlowsUpTo = 128;

/// Everybody sends to so many positions after its own, around, all messages at once; what comes is
/// combined as it comes, by ranks that have sent theirs. Of scans only to positions after them.
[[nodiscard]] cost::Picos all_combine(FlatEstimate& at, double bytes, bool scans);

}  // namespace espalier::collective
