#pragma once

#include "cli/command.hpp"

namespace espalier::cli {

// Which process where: what to know of a program, of the network, and the choice.
[[nodiscard]] Command profile_command();
[[nodiscard]] Command weather_command();
[[nodiscard]] Command place_command();

/// "WORKLOADS", for the manuals of commands that take a profile.
[[nodiscard]] Section workloads_section();

}  // namespace espalier::cli
