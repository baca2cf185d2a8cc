#pragma once

#include <optional>
#include <string>

#include "launch/command_line.hpp"

namespace espalier::launch {

/// What to tell someone whose launcher is known to fail on such a line, with Espalier or without.
/// @param version of Open MPI, as the launcher tells it; empty: not known
[[nodiscard]] std::optional<std::string> note_on_several_programs(const CommandLine& line,
                                                                  const std::string& version);

}  // namespace espalier::launch
