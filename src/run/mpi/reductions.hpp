#pragma once

#include <optional>

#include "mpi/local_steps.hpp"

namespace espalier::mpi {

/// An operation and type that MPI defines and we can combine.
struct CheckedReduction {
  Reduction reduction;
  bool commutative = true;
};

/// Whether an operation comes with MPI; others may be freed.
[[nodiscard]] bool is_named_operation(MPI_Op op);

/// Whether MPI defines this operation on this type. Absent if we do not know: the call is then
/// native. MPI is not asked, since PMPI_Reduce_local with a wrong pair would end the program
/// through MPI_COMM_WORLD's handler, whatever the communicator's handler is.
[[nodiscard]] std::optional<CheckedReduction> check_reduction(MPI_Op op, MPI_Datatype type);

}  // namespace espalier::mpi
