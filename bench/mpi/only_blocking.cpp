// Collectives that block, and no others: what unused_starts.py counts instructions of.
//
//   only_blocking CALLS
//
// Broadcasts from rank 0, which waits for nobody, then allreduces and barriers.
#include <cstdlib>

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int calls = argc > 1 ? std::atoi(argv[1]) : 100;
  double in = 1, out = 0;
  for (int i = 0; i < calls; ++i) {
    MPI_Bcast(&in, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
}
