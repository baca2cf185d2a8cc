/* Prints, for each rank: whether its broadcast was planned, what is preloaded, its first argument.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((weak)) const char* espalier_query_last(int* planned);

int main(int argc, char** argv) {
  int rank = 0, size = 0, value = 0, planned = 0;
  const char* preload = getenv("LD_PRELOAD");
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) value = 42;
  MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (espalier_query_last != NULL) espalier_query_last(&planned);
  printf("rank %d %s, preloaded %s, %s\n", rank,
         value != 42 ? "wrong"
         : planned   ? "planned"
                     : "native",
         preload ? preload : "-", argc > 1 ? argv[1] : "-");
  MPI_Finalize();
  return 0;
}
