#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/elf.hpp"
#include "launch/loader.hpp"
#include "launch/mpi_kind.hpp"

namespace espalier::launch {

/// What can be told of a program by looking at its file.
struct Program {
  std::string file;
  std::optional<Elf> elf;          ///< nothing: a script, or something else
  std::string interpreter;         ///< interpreter of a script: "/usr/bin/python3", "bash"
  std::vector<Library> libraries;  ///< all that the loader would load
  std::vector<SomeMpi> mpis;       ///< those of them that are an MPI
  bool has_privileges = false;     ///< set-user-ID and the like: the loader ignores LD_PRELOAD
};
Expected<Program> look_at_program(const std::string& file);
/// The same of a shared library, as if a program of this computer needed it.
Expected<Program> look_at_library(const std::string& file);

/// Why no library can be preloaded into it, if so: linked statically, with privileges, for another
/// C library or computer. Scripts are not looked into.
[[nodiscard]] std::optional<Error> why_no_preload(const Program& program);

/// The MPI that it is linked with, itself or through its libraries. Nothing for scripts and for
/// programs that load it later (Python).
/// An error if that is none of ours, if there are several, or if nothing can be preloaded.
Expected<std::optional<Mpi>> mpi_of(const Program& program);
Expected<std::optional<Mpi>> mpi_of_program(const std::string& file);

}  // namespace espalier::launch
