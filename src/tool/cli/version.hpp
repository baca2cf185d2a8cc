#pragma once

#include <string>

namespace espalier::cli {

/// "espalier 0.1.0"
[[nodiscard]] std::string version_line();

}  // namespace espalier::cli
