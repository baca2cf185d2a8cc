#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "lab/state.hpp"

namespace espalier::lab {

/// All processes that live in the lab: its hosts, its router, and what runs on the hosts. They are
/// known by the mount that each host and the router have of their own, so neither a lost state
/// folder nor a process id that was given again can mislead.
[[nodiscard]] std::vector<pid_t> processes_of(const StateFolder& folder);

[[nodiscard]] bool belongs_to(const StateFolder& folder, pid_t pid);

/// Ends them all, also those that are started meanwhile, and waits until they are gone.
std::optional<Error> end_processes(const StateFolder& folder);

/// Ends those of the lab whose environment has this NAME=value.
void end_marked_processes(const StateFolder& folder, const std::string& variable);

}  // namespace espalier::lab
