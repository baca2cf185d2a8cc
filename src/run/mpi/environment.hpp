#pragma once

#include <array>
#include <cstdlib>
#include <optional>
#include <string>

#include "mpi/mpi_api.hpp"

namespace espalier::mpi {

/// A variable of this process, or nothing.
[[nodiscard]] inline std::optional<std::string> environment(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

/// This process's host, as MPI names it.
[[nodiscard]] inline std::string processor_name() {
  std::array<char, MPI_MAX_PROCESSOR_NAME + 1> name{};
  int length = 0;
  PMPI_Get_processor_name(name.data(), &length);
  return {name.data(), static_cast<std::size_t>(length)};
}

}  // namespace espalier::mpi
