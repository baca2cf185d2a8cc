#pragma once

#include <sys/types.h>

#include <span>

#include "lab/daemon.hpp"
#include "lab/plan.hpp"
#include "lab/state.hpp"

namespace espalier::lab {

/// Starts the process that carries frames between the hosts as the plan and the links' cells say.
/// @param holders the process that holds each host, in the order of the plan's hosts
Expected<Starting> start_router(const StateFolder& folder, const LabPlan& plan,
                                std::span<const pid_t> holders);

}  // namespace espalier::lab
