#pragma once

#include <span>

#include "collective/multilevel_calls.hpp"
#include "cost/cost_view.hpp"

namespace espalier::collective {

/// How many vectors a reduction sends up from each sub-tree.
enum class Partials : std::uint8_t {
  One,     ///< one: the operation commutes
  Runs,    ///< one for each run of ranks: the operation does not commute
  Blocks,  ///< one for each block of the reference order
};

/// Estimate of multilevel_program() or fixed_order_program(): closed forms level by level.
/// O(ranks).
/// @param segments bytes a message on each level of the cost_view's machine; 0: whole
[[nodiscard]] cost::Picos multilevel_time(const MultilevelChoice& choice,
                                          std::span<const double> segments,
                                          const cost::CostView& cost_view,
                                          const Hierarchy& hierarchy,
                                          const schedule::Collective& call, Partials partials);

// Operations without a tree of leaders: bundles of an alltoall, runs of a scan.
[[nodiscard]] cost::Picos aggregated_alltoall_time(const Carriers& carriers,
                                                   const cost::CostView& cost_view,
                                                   const Hierarchy& hierarchy,
                                                   const schedule::Collective& call);
[[nodiscard]] cost::Picos multilevel_scan_time(const MultilevelChoice& choice,
                                               const cost::CostView& cost_view,
                                               const Hierarchy& hierarchy,
                                               const schedule::Collective& call);

}  // namespace espalier::collective
