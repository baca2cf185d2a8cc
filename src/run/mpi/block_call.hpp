#pragma once

#include "mpi/mpi_api.hpp"
#include "schedule/collective.hpp"

namespace espalier::mpi {

/// What one side of a call of blocks sends or receives, as the user gave it.
struct BlockArguments {
  const void* buffer = nullptr;
  const int* counts = nullptr;         ///< one for each block
  const int* displacements = nullptr;  ///< offsets in extents of the type; nullptr: one block, at 0
  MPI_Datatype type{};
  const MPI_Datatype* types = nullptr;  ///< alltoallw: one for each block, displacements in bytes
};

/// MPI_Gatherv, Scatterv, Allgatherv, Alltoallv or Alltoallw. Arguments that are not significant
/// at this rank are never looked at.
struct BlockCall {
  schedule::Operation operation = schedule::Operation::Gather;
  int root = 0;
  MPI_Comm comm{};
  BlockArguments send;
  BlockArguments recv;
};

}  // namespace espalier::mpi
