#pragma once

#include <functional>
#include <string>

#include "launch/command_line.hpp"

namespace espalier::launch {

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
