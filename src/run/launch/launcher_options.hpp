#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.hpp"
#include "launch/mpi_kind.hpp"

namespace espalier::launch {

/// What a command starts processes with. salloc and others that merely start a launcher are none.
enum class Launcher : std::uint8_t {
  Hydra,    ///< MPICH's
  OpenMpi,  ///< ORTE of Open MPI 4, or one of Open MPI whose version is not known
  Prrte,    ///< the launcher of Open MPI 5 (mpiexec, mpirun, prterun, prun)
  Srun,
  Sbatch
};

/// The kind of an MPI's launcher.
/// @param launcher its name, with a folder or without
/// @param version  what it prints for --version; empty: it was not asked
[[nodiscard]] Launcher launcher_kind(Mpi mpi, const std::string& launcher,
                                     std::string_view version);
[[nodiscard]] inline bool is_open_mpi(Launcher launcher) {
  return launcher == Launcher::OpenMpi || launcher == Launcher::Prrte;
}
[[nodiscard]] inline bool is_slurm(Launcher launcher) {
  return launcher == Launcher::Srun || launcher == Launcher::Sbatch;
}

/// How many words after this option of a launcher are its values; nothing: it is not known.
/// @param next the word after it: Hydra takes both "-genv A 1" and "-genv A=1"
[[nodiscard]] std::optional<std::size_t> values_of(Launcher launcher, std::string_view option,
                                                   std::string_view next = "");

/// Both launchers take one dash or two.
[[nodiscard]] std::string_view without_dashes(std::string_view option);

/// How many words after this option of srun or sbatch are its values; nothing: it is not known.
[[nodiscard]] std::optional<std::size_t> values_in_slurm(Launcher launcher,
                                                         std::string_view option);

/// How many words after this option of PRRTE's launchers (mpiexec and mpirun of Open MPI 5,
/// prterun, prun) are its values; nothing: it is not known.
/// @param name without dashes
[[nodiscard]] std::optional<std::size_t> values_in_prrte(std::string_view name);

/// The same command with the programs that a file names (-configfile of MPICH, --app of Open MPI)
/// in the place of that option: one part a line, "#" begins a comment, words end at blanks and are
/// not quoted (both launchers read them so).
Expected<std::vector<std::string>> with_files_read(std::vector<std::string> words,
                                                   std::size_t launcher, Launcher kind);

}  // namespace espalier::launch
