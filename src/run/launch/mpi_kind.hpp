#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/expected.hpp"

namespace espalier::launch {

/// What is preloaded, whatever the MPI, and before it what records profiles.
inline constexpr std::string_view kLibrary = "libespalier.so";
inline constexpr std::string_view kRecorder = "libespalier-profile.so";

/// The kinds of MPI that we serve: whose launcher starts a program, and whose binary interface it
/// has. MPICH's is that of Intel MPI and MVAPICH too.
enum class Mpi : std::uint8_t { Mpich, OpenMpi };

[[nodiscard]] std::string_view name_of(Mpi mpi);                    ///< "MPICH"
[[nodiscard]] std::optional<Mpi> mpi_named(std::string_view name);  ///< "mpich", "openmpi"

/// Those that we can tell apart.
enum class Family : std::uint8_t { Mpich, OpenMpi, IntelMpi, Mvapich, Other };

/// An MPI library on this computer, or a launcher.
struct SomeMpi {
  Family family = Family::Other;
  std::string version;  ///< "4.1.4"; empty: not known
  std::string soname;   ///< "libmpi.so.40"; of a launcher empty
  std::string file;     ///< empty: not known
};

/// Whether a library of this name is that of MPI's C functions, of whatever MPI. (Fortran's and
/// C++'s come with the C one.)
[[nodiscard]] bool is_mpi_library(std::string_view soname);

/// @param text what MPI_Get_library_version tells, or nothing: then the name has to do
[[nodiscard]] SomeMpi mpi_library(std::string_view soname, std::string_view file,
                                  std::string_view text);

/// @param text what a launcher prints for --version; nothing if it is no MPI's
[[nodiscard]] std::optional<SomeMpi> mpi_launcher(std::string_view file, std::string_view text);

/// "Open MPI 5.0.3", "an MPI of MPICH's kind"
[[nodiscard]] std::string title_of(const SomeMpi& mpi);

/// The kind that serves a program with this MPI, or why none does.
/// @param where the program or launcher, for the message
Expected<Mpi> served_by(const SomeMpi& mpi, const std::string& where);

/// What the library opens under an MPI that is served, beside itself: one for each binary
/// interface.
struct Variant {
  std::string_view file;
  std::string_view serves;
};
inline constexpr std::array kVariants{
    Variant{"libespalier-mpich.so", "programs of MPICH, Intel MPI and MVAPICH"},
    Variant{"libespalier-openmpi.so", "programs of Open MPI 4 and 5"},
    Variant{"libespalier-mpiabi.so", "programs with the standard's own binary interface"}};
[[nodiscard]] const Variant& variant_for(const SomeMpi& mpi);
[[nodiscard]] const Variant& variant_for(Mpi mpi);

/// Whether our tests were run with this version; others are served by what they promise, behind a
/// self-test in MPI_Init.
[[nodiscard]] bool was_tried(const SomeMpi& mpi);

/// The MPI of a launcher that we serve, from what it prints for --version.
[[nodiscard]] std::optional<Mpi> mpi_of_launcher(std::string_view version_text);

}  // namespace espalier::launch
