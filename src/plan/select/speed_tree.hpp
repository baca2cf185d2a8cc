#pragma once

#include "schedule/collective.hpp"
#include "select/plan.hpp"
#include "topology/machine.hpp"
#include "tree/comm_tree.hpp"

namespace espalier::select {

/// The tree of a SpeedTree plan: everybody, by what a message of the call's length costs each rank
/// that sends it. Links are not looked at. @pre is_speed_tree(plan.name)
[[nodiscard]] tree::CommTree speed_tree(const SpeedTree& plan, const topology::Machine& machine,
                                        const schedule::Collective& call);

/// "fnf" and "spoc".
[[nodiscard]] bool is_speed_tree(const std::string& name);

/// Whether there are faster and slower senders; else these trees have nothing to go by.
[[nodiscard]] bool has_unequal_senders(const topology::Machine& machine);

}  // namespace espalier::select
