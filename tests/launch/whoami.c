/* Prints, for each rank: whether its broadcast was planned, what is preloaded, its first argument.
   With the argument "spawn" it starts itself twice more; those print "spawned" for "rank". */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((weak)) const char* espalier_query_last(int* planned);

int main(int argc, char** argv) {
  int rank = 0, size = 0, value = 0, planned = 0;
  const char* preload = getenv("LD_PRELOAD");
  MPI_Comm parent, children;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) value = 42;
  MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (espalier_query_last != NULL) espalier_query_last(&planned);
  printf("%s %d %s, preloaded %s, %s\n", parent == MPI_COMM_NULL ? "rank" : "spawned", rank,
         value != 42 ? "wrong"
         : planned   ? "planned"
                     : "native",
         preload ? preload : "-", argc > 1 ? argv[1] : "-");
  fflush(stdout);
  if (parent == MPI_COMM_NULL && argc > 1 && strcmp(argv[1], "spawn") == 0) {
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                   MPI_ERRCODES_IGNORE);
    MPI_Comm_disconnect(&children);
  } else if (parent != MPI_COMM_NULL) {
    MPI_Comm_disconnect(&parent);
  }
  MPI_Finalize();
  return 0;
}
