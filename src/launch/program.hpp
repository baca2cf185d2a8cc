#pragma once

#include <optional>
#include <string>

#include "launch/mpi_kind.hpp"

namespace espalier::launch {

/// The MPI that a program is linked with, itself or through its libraries. Nothing for scripts and
/// for programs that load it later (Python): only their launcher knows.
/// An error for what a preloaded library cannot reach: statically linked programs.
Expected<std::optional<Mpi>> mpi_of_program(const std::string& file);

}  // namespace espalier::launch
