#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/expected.hpp"

namespace espalier::launch {

/// The MPIs that there is a library of ours for.
enum class Mpi : std::uint8_t { Mpich, OpenMpi };

[[nodiscard]] std::string_view name_of(Mpi mpi);      ///< "MPICH"
[[nodiscard]] std::string_view library_of(Mpi mpi);   ///< "libespalier-mpich.so"
[[nodiscard]] std::string_view recorder_of(Mpi mpi);  ///< "libespalier-profile-mpich.so"
[[nodiscard]] std::optional<Mpi> mpi_named(std::string_view name);  ///< "mpich", "openmpi"

/// The MPI among the libraries a program needs ("libc.so.6", ...), nothing if there is none.
/// An MPI that is neither of ours is an error, and two at once are.
Expected<std::optional<Mpi>> mpi_among(std::span<const std::string> libraries,
                                       const std::string& program);

/// The MPI of a launcher, from what it prints for --version.
[[nodiscard]] std::optional<Mpi> mpi_of_launcher(std::string_view version_text);

}  // namespace espalier::launch
