#pragma once

#include <string>
#include <vector>

namespace espalier::runtime {

/// All ESPALIER_* variables that something of ours reads (docs/reference/variables.md).
[[nodiscard]] std::vector<std::string> setting_names();

}  // namespace espalier::runtime
