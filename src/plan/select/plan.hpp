#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collective/algorithm.hpp"

namespace espalier::select {

using collective::Algorithm;
using collective::algorithms;
using collective::AlgorithmTable;

/// A plan as a value: with a machine and a call it gives a program for every rank and a predicted
/// time. The algorithm stands in a table that outlives the plan.
struct Plan {
  const Algorithm* algorithm = nullptr;
  collective::Parameters parameters = {};
  friend bool operator==(const Plan&, const Plan&) = default;
};

/// Whether the plan serves the call: its operation, block lengths and order of combining.
[[nodiscard]] bool can_do(const Plan& plan, const collective::Hierarchy& hierarchy,
                          const schedule::Collective& call);

/// Makes the part of each rank; what all ranks share is made once.
/// @pre can_do(plan, hierarchy, call); hierarchy and call outlive it
[[nodiscard]] collective::PartOf parts_of(const Plan& plan, const collective::Hierarchy& hierarchy,
                                          const schedule::Collective& call);

/// A rank's own part alone. @pre can_do(plan, hierarchy, call)
[[nodiscard]] schedule::Program own_part(const Plan& plan, const collective::Hierarchy& hierarchy,
                                         const schedule::Collective& call, Rank rank);

/// Whether the plans are known to build the same schedule.
[[nodiscard]] bool build_the_same(const Plan& a, const Plan& b,
                                  const collective::Hierarchy& hierarchy,
                                  const schedule::Collective& call);

/// "multilevel exchange/binomial 64 KiB", "ring": short, unique among the plans of a call.
[[nodiscard]] std::string name_of(const Plan& plan, const schedule::Collective& call);
/// The plan of this name; absent if there is none, or if it cannot do the call.
/// plan_named(name_of(plan, call), ...) == plan. A segment that is no shorter than the message is
/// none, so that "binomial 16 KiB" names "binomial" where messages are short.
[[nodiscard]] std::optional<Plan> plan_named(std::string_view name,
                                             const collective::Hierarchy& hierarchy,
                                             const schedule::Collective& call,
                                             AlgorithmTable table = algorithms());
/// What each level of the machine does, outermost first; empty for plans that do not know levels.
[[nodiscard]] std::vector<std::string> per_level(const Plan& plan, const topology::Machine& machine,
                                                 const schedule::Collective& call);
/// No: it goes by the ranks' numbers, or is a baseline.
[[nodiscard]] bool knows_topology(const Plan& plan);
/// The choice of each level of a plan over the machine's levels; null: it is none.
[[nodiscard]] const collective::MultilevelChoice* levels_of(const Plan& plan);

}  // namespace espalier::select
