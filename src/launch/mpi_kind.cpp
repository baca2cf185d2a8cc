#include "launch/mpi_kind.hpp"

#include <fmt/format.h>

#include <array>

namespace espalier::launch {
namespace {

struct Known {
  std::string_view prefix;
  Mpi mpi;
};
// Fortran's and C++'s libraries come with the C one.
constexpr std::array kKnown{Known{"libmpich.so.12", Mpi::Mpich},
                            Known{"libmpi.so.40", Mpi::OpenMpi}};

bool is_some_mpi(std::string_view library) {
  return library.starts_with("libmpi.so.") || library.starts_with("libmpich.so.") ||
         library.starts_with("libmpi_intel.so.") || library.starts_with("libmsmpi");
}

}  // namespace

std::string_view name_of(Mpi mpi) { return mpi == Mpi::Mpich ? "MPICH" : "Open MPI"; }

std::string_view library_of(Mpi mpi) {
  return mpi == Mpi::Mpich ? "libespalier-mpich.so" : "libespalier-openmpi.so";
}

std::string_view recorder_of(Mpi mpi) {
  return mpi == Mpi::Mpich ? "libespalier-profile-mpich.so" : "libespalier-profile-openmpi.so";
}

std::optional<Mpi> mpi_named(std::string_view name) {
  if (name == "mpich") return Mpi::Mpich;
  if (name == "openmpi") return Mpi::OpenMpi;
  return std::nullopt;
}

Expected<std::optional<Mpi>> mpi_among(std::span<const std::string> libraries,
                                       const std::string& program) {
  std::optional<Mpi> found;
  for (const std::string& library : libraries) {
    std::optional<Mpi> here;
    for (const Known& known : kKnown) {
      if (library.starts_with(known.prefix)) here = known.mpi;
    }
    if (!here && is_some_mpi(library)) {
      return Error{
          program,
          fmt::format("it is linked with {}, an MPI that Espalier has no library for", library),
          "there are libraries for MPICH 4 (libmpich.so.12) and Open MPI 4 (libmpi.so.40)"};
    }
    if (here && found && *here != *found) {
      return Error{program, "it is linked with MPICH and Open MPI at once",
                   "link the program and all its libraries with one MPI"};
    }
    if (here) found = here;
  }
  return found;
}

std::optional<Mpi> mpi_of_launcher(std::string_view text) {
  const auto has = [text](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  };
  if (has("OpenRTE") || has("Open MPI") || has("open-mpi")) return Mpi::OpenMpi;
  if (has("HYDRA") || has("mpich") || has("MPICH")) return Mpi::Mpich;
  return std::nullopt;
}

}  // namespace espalier::launch
