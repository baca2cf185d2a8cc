#pragma once

#include <unistd.h>

#include <algorithm>

#include "mpi/mpi_api.hpp"
#include "mpi/mpi_traits.hpp"

namespace espalier::mpi {

/// Waits asleep, a little longer each time.
inline void wait_asleep(MPI_Request& request, MPI_Status* status = MPI_STATUS_IGNORE) {
  if (kIsSimulated) {  // who waits is asleep there
    PMPI_Wait(&request, status);
    return;
  }
  int done = 0;
  for (unsigned pause = 10; PMPI_Test(&request, &done, status), done == 0;) {
    ::usleep(pause);
    pause = std::min(200U, pause + pause / 2);
  }
}

}  // namespace espalier::mpi
