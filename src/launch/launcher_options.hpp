#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "launch/mpi_kind.hpp"

namespace espalier::launch {

/// What a command starts processes with. salloc and others that merely start a launcher are none.
enum class Launcher : std::uint8_t { Hydra, OpenMpi, Srun, Sbatch };

[[nodiscard]] inline Launcher launcher_of(Mpi mpi) {
  return mpi == Mpi::Mpich ? Launcher::Hydra : Launcher::OpenMpi;
}
[[nodiscard]] inline bool is_slurm(Launcher launcher) {
  return launcher == Launcher::Srun || launcher == Launcher::Sbatch;
}

/// How many words after this option of a launcher are its values; nothing: it is not known.
[[nodiscard]] std::optional<std::size_t> values_of(Launcher launcher, std::string_view option);

/// Both launchers take one dash or two.
[[nodiscard]] std::string_view without_dashes(std::string_view option);

}  // namespace espalier::launch
