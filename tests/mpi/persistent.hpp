#pragma once

// What tests of persistent collectives share.
#include "mpi/harness.hpp"
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>  // they have names of their own in Open MPI 4
#define PERSISTENT(name) MPIX_##name##_init
#else
#define PERSISTENT(name) MPI_##name##_init
#endif

namespace espalier::mpi_test {

struct Members {
  MPI_Comm comm = MPI_COMM_WORLD;
  int rank = 0;
  int size = 1;
  explicit Members(MPI_Comm of = MPI_COMM_WORLD) : comm(of) {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
  }
  [[nodiscard]] int sum() const { return size * (size - 1) / 2; }
};

inline void wait(MPI_Request& request) { MPI_Wait(&request, MPI_STATUS_IGNORE); }

}  // namespace espalier::mpi_test
