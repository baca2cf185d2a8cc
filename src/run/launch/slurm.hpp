#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "launch/command_line.hpp"
#include "launch/mpi_kind.hpp"

namespace espalier::launch {

/// What Slurm's own tools say of it.
struct Slurm {
  std::string version;             ///< "22.05.8"; empty: it is not set up here
  std::vector<std::string> types;  ///< what srun --mpi may be: "none", "pmi2", "pmix"
  std::string usual_type;          ///< MpiDefault; empty: the controller does not answer
};
/// Nothing if there is no srun.
[[nodiscard]] std::optional<Slurm> look_at_slurm();

/// The --mpi that srun needs for programs of this MPI: both were seen with Debian 12's Slurm 22.05,
/// MPICH 4.0.2 with its own PMI, Open MPI 4.1.4 with PMIx.
[[nodiscard]] std::string_view type_for(Mpi mpi);
[[nodiscard]] bool serves(std::string_view type, Mpi mpi);

/// What to tell someone whose srun has this --mpi (empty: SLURM_MPI_TYPE, or what the controller
/// says), if its processes would not find each other.
[[nodiscard]] std::optional<std::string> note_on_type(Mpi mpi, const std::string& type);

/// What of the surroundings decides what srun and sbatch hand on.
struct SlurmSurroundings {
  std::string exported;   ///< SLURM_EXPORT_ENV for srun, SBATCH_EXPORT for sbatch
  std::string preloaded;  ///< LD_PRELOAD
  std::string script;     ///< sbatch: the text of the script, for its own --export
};

/// The same line with a library preloaded and these variables handed on in all processes of all
/// parts, whatever its --export says: ALL (which they have if nothing is said), some, NONE.
///
/// The values of the variables have to be in srun's own environment, and LD_PRELOAD must not be:
/// Slurm prefers its environment to what --export says, and cuts values at commas.
/// @pre is_slurm(line.kind)
Expected<std::vector<std::string>> with_export(const CommandLine& line, const std::string& library,
                                               const Variables& variables,
                                               const SlurmSurroundings& around);

/// The value of an option of this part, the last one if there are several: "--mpi=pmix".
[[nodiscard]] std::optional<std::string> option_of(const CommandLine& line, std::size_t part,
                                                   std::string_view name);

/// What "#SBATCH" lines of a script say of this option.
[[nodiscard]] std::optional<std::string> option_in_script(const std::string& text,
                                                          std::string_view name);

}  // namespace espalier::launch
