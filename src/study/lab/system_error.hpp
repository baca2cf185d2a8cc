#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/error.hpp"

namespace espalier::lab {

/// What the last system call on a file said (errno): "PATH: cannot open: No such file or
/// directory".
[[nodiscard]] inline Error system_error(const std::string& path, const char* doing) {
  return {path, fmt::format("{}: {}", doing, std::strerror(errno)), ""};
}

}  // namespace espalier::lab
