#pragma once

#include <vector>

#include "runtime/plan_cache.hpp"
#include "runtime/settings.hpp"
#include "runtime/shared_call.hpp"
#include "runtime/trial_record.hpp"
#include "select/neighbour_chooser.hpp"

namespace espalier::runtime {

/// What neighbourhood collectives of one kind may choose between: the plan and the native call, or
/// the first of them alone without trials. Where no plan gains clearly, the native call alone.
[[nodiscard]] std::vector<Candidate> neighbour_candidates(select::NeighbourChooser& chooser,
                                                          const Settings& settings,
                                                          const SharedCall& call);

/// A rank's part of the chosen plan, if there is one.
/// @param machine that of the chooser
[[nodiscard]] CachedPlan make_neighbour_plan(select::NeighbourChooser& chooser,
                                             const topology::Machine& machine,
                                             const SharedCall& call, Rank rank);

}  // namespace espalier::runtime
