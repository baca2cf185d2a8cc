#pragma once

#include <string>
#include <string_view>

#include "base/expected.hpp"

namespace espalier::launch {

/// Where one of our own libraries is: beside the tool, as it was built or installed.
/// @param given the library itself, or empty
Expected<std::string> find_library(std::string_view name, const std::string& given);

}  // namespace espalier::launch
