#pragma once

#include "cli/command.hpp"

namespace espalier::cli {

// Commands for placing processes: profiles of programs, weather of the network, the choice.
[[nodiscard]] Command profile_command();
[[nodiscard]] Command weather_command();
[[nodiscard]] Command place_command();

/// "WORKLOADS", for the manuals of commands that take a profile.
[[nodiscard]] Section workloads_section();

}  // namespace espalier::cli
