/* What rank 0 knows of all ranks: a line for each with its depth and colours, or that nothing is
 * known. For clusters_test.py. */
#include <espalier.h>
#include <stdio.h>

#define MOST_LEVELS 12
#define MOST_RANKS 16

int main(int argc, char** argv) {
  int depths[MOST_RANKS], colors[MOST_RANKS * MOST_LEVELS], rank, size, r, l, sum, one = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  espalier_discover();
  /* Calls go on, whatever was named. */
  for (r = 0; r < 8; ++r) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  espalier_topology_depths(MPI_COMM_WORLD, depths);
  espalier_topology_colors(MPI_COMM_WORLD, MOST_LEVELS, colors);
  for (r = 0; rank == 0 && r < size; ++r) {
    printf("rank %d depth %d:", r, depths[r]);
    for (l = 0; l < depths[r]; ++l) printf(" %d", colors[r * MOST_LEVELS + l]);
    printf("\n");
  }
  MPI_Finalize();
  return sum != size;
}
