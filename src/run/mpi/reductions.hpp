#pragma once

#include <optional>

#include "mpi/local_steps.hpp"

namespace espalier::mpi {

/// An operation and type that we may combine.
struct CheckedReduction {
  Reduction reduction;
  bool commutative = true;
};

/// Whether MPI defines this operation on this type, told without asking MPI: PMPI_Reduce_local with
/// a wrong pair would end the program through MPI_COMM_WORLD's handler, whatever the user's
/// communicator says. Nothing where we do not know: the native call then tells.
[[nodiscard]] std::optional<CheckedReduction> check_reduction(MPI_Op op, MPI_Datatype type);

}  // namespace espalier::mpi
