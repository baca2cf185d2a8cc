#pragma once

#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "launch/mpi_kind.hpp"

namespace espalier::launch {

/// The MPI that a command uses, and how that is known.
struct UsedMpi {
  Mpi mpi = Mpi::Mpich;
  std::string who;  ///< the program, launcher or module that says so
};

/// Where a command would be run.
struct CommandContext {
  std::string directory = ".";
  std::string path;  ///< PATH
};

/// Looks through a command for the program that uses MPI: behind `env A=b`, `numactl`, `timeout 5`
/// and the like, into shell scripts and `bash -c`, to what Python's mpi4py is linked with. Nothing
/// if it cannot be told, as with programs that load MPI later.
///
/// An error if there is no such program, if nothing can be preloaded into it, if its MPI is none of
/// ours, or if a script uses both.
Expected<std::optional<UsedMpi>> mpi_of_command(const std::vector<std::string>& words,
                                                const CommandContext& context);

/// The same for the text of a shell script: whatever of its words names a program or a launcher is
/// looked at. Words with "$" in them cannot be.
Expected<std::optional<UsedMpi>> mpi_of_script(const std::string& text, const std::string& name,
                                               const CommandContext& context);

/// A program of one MPI under the launcher of another: each process would be alone.
/// @param place where that stands, if not on the command line: "" or a script's name
[[nodiscard]] Error wrong_launcher(const std::string& program, const UsedMpi& used,
                                   const std::string& launcher, Mpi launchers,
                                   const std::string& place);

/// For a file of which the system does not even tell whether it is there.
[[nodiscard]] Error cannot_be_looked_at(const std::string& name, const std::error_code& why);

/// The text of a file, up to 1 MiB; empty if it cannot be read.
[[nodiscard]] std::string text_of(const std::string& file);

}  // namespace espalier::launch
