#pragma once

#include "mpi/world.hpp"

namespace espalier::mpi {

/// With what the ranks agreed on in `world`. Says what it is on stderr, on rank 0 and if asked.
[[nodiscard]] KnownMachine known_machine(const World& world, topology::Machine machine,
                                         std::string_view as_text);

/// Two levels, with figures of an ordinary cluster.
[[nodiscard]] KnownMachine machine_of_nodes(const World& world);

/// Found and measured, or from the cache; where that fails, machine_of_nodes(), on all ranks alike.
/// @param over holds all processes of MPI_COMM_WORLD; collective over it
[[nodiscard]] KnownMachine discovered_machine(const World& world, MPI_Comm over);

}  // namespace espalier::mpi
