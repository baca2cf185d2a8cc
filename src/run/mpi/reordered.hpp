#pragma once

#include <vector>

#include "mpi/machine_search.hpp"
#include "profile/profile.hpp"

namespace espalier::mpi {

/// A new communicator whose first `nodes` ranks fit a graph that communicates along `pairs`
/// (ESPALIER_REORDER). Collective.
/// @param here where the members of `comm` run
/// @param pairs who sends to whom; nullptr if this process does not know
/// @return MPI_COMM_NULL, on all ranks, if no process knows any pair
[[nodiscard]] MPI_Comm reordered(MPI_Comm comm, const MachineSearch::Placed& here, int nodes,
                                 const std::vector<profile::Pair>* pairs);

}  // namespace espalier::mpi
