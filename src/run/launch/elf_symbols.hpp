#pragma once

#include <string>
#include <string_view>

#include "launch/elf.hpp"

namespace espalier::launch {

/// Whether a file has this function in itself, as far as it is not stripped: a library that is
/// linked statically into it.
[[nodiscard]] bool contains_function(const std::string& path, std::string_view name);

}  // namespace espalier::launch
