#pragma once

#include <optional>
#include <span>

#include "collective/folded_machine.hpp"
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

/// The same where equal parts of the machine are told once; to the picosecond, but for the rounding
/// of sums. O(different parts * their members).
/// @pre call.size is that of the whole machine; the machine is folded for the call's root, or for
///      rank 0 if it has none
/// @return absent for operations without a tree of leaders, and reductions that do not commute
[[nodiscard]] std::optional<cost::Picos> folded_multilevel_time(const MultilevelChoice& choice,
                                                                std::span<const double> segments,
                                                                const FoldedMachine& machine,
                                                                const schedule::Collective& call);

/// The estimate of a plan that sees the machine as clusters of a depth: from the root straight to
/// all of them, and binomial trees inside, which on aligned machines are trees over masters.
/// Messages are whole. O(clusters of that depth + different parts * their members).
/// @return absent for other machines and roots, and as above
[[nodiscard]] std::optional<cost::Picos> folded_two_level_time(std::uint32_t depth,
                                                               const FoldedMachine& machine,
                                                               const schedule::Collective& call);

/// The estimate of a binomial tree by number from rank 0, which on aligned machines is one over
/// masters. @param segment bytes a message; 0: whole @return absent for other machines and roots
[[nodiscard]] std::optional<cost::Picos> folded_binomial_time(double segment,
                                                              const FoldedMachine& machine,
                                                              const schedule::Collective& call);
/// A gather or scatter of such blocks along that tree, whatever the call's operation.
[[nodiscard]] std::optional<cost::Picos> folded_binomial_blocks(double block, bool scatters,
                                                                const FoldedMachine& machine,
                                                                const schedule::Collective& call);

/// What both are not less than; 0: not known. O(levels * log ranks).
[[nodiscard]] cost::Picos multilevel_least(const MultilevelChoice& choice,
                                           const Hierarchy& hierarchy,
                                           const schedule::Collective& call);

/// The same of alltoalls whose bundles go between the members of the whole machine. O(members).
[[nodiscard]] cost::Picos least_bundled_alltoall(const Hierarchy& hierarchy, double block);

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
