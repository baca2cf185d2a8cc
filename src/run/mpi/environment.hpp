#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace espalier::mpi {

/// A variable of this process, or nothing.
[[nodiscard]] inline std::optional<std::string> environment(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace espalier::mpi
