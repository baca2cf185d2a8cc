#pragma once

#include "mpi/mpi_api.hpp"

namespace espalier::mpi {

/// Whether this process can map a piece of memory that rank 0 of `comm` shares by name, and finds
/// there what rank 0 wrote. MPI's word alone is not enough: it may take hosts with equal names for
/// one. Collective.
[[nodiscard]] bool shares_memory_with_first(MPI_Comm comm);

}  // namespace espalier::mpi
