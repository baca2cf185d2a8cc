#pragma once

#include "cli/command.hpp"

namespace espalier::cli {

[[nodiscard]] Command doctor_command();

}  // namespace espalier::cli
