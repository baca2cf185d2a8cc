#pragma once

#include <vector>

#include "base/types.hpp"
#include "mpi/mpi_api.hpp"

namespace espalier::mpi {

/// This rank's neighbours on a communicator with a topology, in MPI's order. kNoRank is
/// MPI_PROC_NULL. Empty without a topology.
struct OwnNeighbours {
  int topology = MPI_UNDEFINED;  ///< MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH
  std::vector<Rank> sources, destinations;
};
/// Local. @pre `comm` is a communicator
[[nodiscard]] OwnNeighbours own_neighbours_of(MPI_Comm comm);

}  // namespace espalier::mpi
