#pragma once

#include <ctime>

#include "mpi/mpi_traits.hpp"

namespace espalier::mpi {

/// Seconds by a clock that nobody sets: MPICH's MPI_Wtime goes by the time of day. Under SMPI,
/// where time is simulated, MPI's own.
[[nodiscard]] inline double seconds_now() {
  if constexpr (kIsSimulated) {
    return PMPI_Wtime();
  } else {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }
}

}  // namespace espalier::mpi
