#pragma once

#include <optional>
#include <string>
#include <vector>

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

}  // namespace espalier::launch
