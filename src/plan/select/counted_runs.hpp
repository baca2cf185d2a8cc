#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "select/irregular.hpp"

namespace espalier::select {

// Which trees the root of a scatterv or gatherv takes while a program runs (docs/runtime.md,
// Irregular calls), and from when on plans of allgathervs go by their lengths. What is remembered
// from call to call is in runtime/count_planner.hpp and runtime/counted_calls.hpp.

/// Gathervs to a root until it tells all ranks a tree for the first time, in the last of them.
inline constexpr std::uint64_t kGathersUntilTree = 4;

/// Why a call runs along such a tree, as the library reports it.
inline constexpr std::string_view kWhyByCounts = "the root's choice, by the lengths of all blocks";
/// As the library reports it: "minimum-first by counts".
[[nodiscard]] std::string name_by_counts(const std::string& algorithm);

/// From which call with these lengths on the root of a scatterv plans by them, or all ranks of an
/// allgatherv: planning takes at most a tenth of the least time that these calls take together.
/// Absent: no call takes any time.
[[nodiscard]] std::optional<std::uint64_t> planned_from(const topology::Machine& machine,
                                                        const schedule::Collective& call);

/// Work of a choice by the lengths of an allgatherv, in messages (sim/budget.hpp).
[[nodiscard]] std::uint64_t worth_of_counts(const topology::Machine& machine,
                                            const schedule::Collective& call);

/// The tree of scattervs whose lengths are not planned by is the best for equal blocks: the name of
/// its algorithm.
[[nodiscard]] std::string standing_algorithm(const topology::Machine& machine,
                                             const schedule::Collective& call,
                                             const IrregularConditions& conditions = {});
/// That algorithm's tree over all ranks, from the call's root; the call's lengths do not matter.
[[nodiscard]] tree::CommTree standing_tree(const std::string& algorithm,
                                           const topology::Machine& machine,
                                           const schedule::Collective& call,
                                           const IrregularConditions& conditions = {});

/// A gather as its root plans it: the tree spans all ranks, since lengths may change. Whoever has
/// nothing is taken to have a byte.
[[nodiscard]] schedule::Collective with_everybody(schedule::Collective call);

/// What calls with the same lengths run along, one after the other.
struct CountedRuns {
  IrregularPlan plan;  ///< the tree of all calls after the first ones
  Time predicted;      ///< time of `plan` under quick_conditions()
  /// So many planned calls run otherwise before: scattervs along `first`, gathervs along the plan
  /// of the communicator.
  std::uint64_t first_calls = 0;
  std::optional<IrregularPlan> first = {};  ///< the standing tree
};
/// @pre call is an irregular scatter or gather of the machine's size
[[nodiscard]] CountedRuns counted_runs(const topology::Machine& machine,
                                       const schedule::Collective& call,
                                       const IrregularConditions& conditions = {});

}  // namespace espalier::select
