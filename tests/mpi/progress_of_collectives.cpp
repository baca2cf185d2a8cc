// A rank that waits in shared memory goes on with its non-blocking collectives, also where a probe
// does not. Four ranks.
#include "mpi/harness.hpp"

#ifdef OPEN_MPI
/// Instead of the MPI library's own: moves nothing but messages, and there are none. So it is over
/// PSM2.
extern "C" __attribute__((visibility("default"))) int PMPI_Iprobe(int /*source*/, int /*tag*/,
                                                                  MPI_Comm /*comm*/, int* flag,
                                                                  MPI_Status* /*status*/) {
  *flag = 0;
  return MPI_SUCCESS;
}
#endif

namespace espalier::mpi_test {
namespace {

/// The others come to the broadcast behind the barrier, whose later rounds rank 0 sends while it
/// waits in the broadcast.
bool is_right(int rank, int size, int round) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  if (rank != 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
  int value = rank == size - 1 ? round : -1;
  MPI_Bcast(&value, 1, MPI_INT, size - 1, MPI_COMM_WORLD);
  if (rank == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
  return value == round;
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  using namespace espalier::mpi_test;
  MPI_Init(&argc, &argv);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);  // makes the segment
  bool are_right = true;
  for (int round = 0; round < 20; ++round) are_right &= is_right(rank, size, round);
  MPI_Finalize();
  return are_right ? 0 : 1;
}
