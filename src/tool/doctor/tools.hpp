#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace espalier::doctor {

/// The tool that interposes MPI's functions too, by the name of its library: mpiP, Score-P ...
[[nodiscard]] std::optional<std::string> tool_named(std::string_view library);

}  // namespace espalier::doctor
