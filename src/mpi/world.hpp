#pragma once

#include <memory>
#include <optional>

#include "mpi/mpi_api.hpp"
#include "runtime/settings.hpp"
#include "topology/machine.hpp"

namespace espalier::mpi {

/// What all processes of MPI_COMM_WORLD agreed on when they started.
struct World {
  int rank = 0;
  int size = 1;
  runtime::Settings settings;
  topology::Machine machine;
  std::uint64_t hash = 0;  ///< of version, settings and machine
};

/// Rank 0 reads settings and machine and tells all others; where something is wrong it prints one
/// line and there is no world: every call is native then. Collective over MPI_COMM_WORLD.
[[nodiscard]] std::unique_ptr<const World> agree_on_world();

}  // namespace espalier::mpi
