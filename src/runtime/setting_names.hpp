#pragma once

#include <string>
#include <vector>

namespace espalier::runtime {

/// All ESPALIER_* variables that users may set (docs/runtime.md).
[[nodiscard]] std::vector<std::string> setting_names();

}  // namespace espalier::runtime
