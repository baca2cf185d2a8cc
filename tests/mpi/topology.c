/* Depths and colours of include/espalier.h, checked by 6 ranks on
 * "site:2(10ms) node:1|2(1ms) proc:2(1us)", or (with an argument) without the library. */
#include <espalier.h>
#include <stdio.h>

static int failures = 0;

static void expect(int holds, const char* what) {
  if (!holds) fprintf(stderr, "FAILED: %s\n", what);
  failures += !holds;
}

static void check_world(int status) {
  static const int nodes[6] = {0, 0, 1, 1, 2, 2};
  int depths[6], colors[6 * 4], levels = 0, rank;
  expect(espalier_topology_levels(MPI_COMM_WORLD, &levels) == status, "status of levels");
  expect(levels == (status ? 1 : 3), "levels");
  expect(espalier_topology_depths(MPI_COMM_WORLD, depths) == status, "status of depths");
  expect(espalier_topology_colors(MPI_COMM_WORLD, 4, colors) == status, "status of colours");
  for (rank = 0; rank < 6; ++rank) {
    const int* own = colors + 4 * rank;
    expect(depths[rank] == (status ? 1 : 3), "depth");
    expect(own[0] == 0, "all reach each other");
    expect(own[1] == (status ? MPI_UNDEFINED : nodes[rank] > 0), "site");
    expect(own[2] == (status ? MPI_UNDEFINED : nodes[rank]), "node");
    expect(own[3] == MPI_UNDEFINED, "no fourth level");
  }
}

/* The colours are of use: processes of one node, found without asking MPI. */
static void check_split(void) {
  int colors[6 * 3], rank, size;
  MPI_Comm node, backwards;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  espalier_topology_colors(MPI_COMM_WORLD, 3, colors);
  MPI_Comm_split(MPI_COMM_WORLD, colors[3 * rank + 2], 0, &node);
  MPI_Comm_size(node, &size);
  expect(size == 2, "two processes a node");
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
  expect(espalier_topology_colors(backwards, 3, colors) == ESPALIER_OK, "another order");
  expect(colors[2] == 2 && colors[3 * 5 + 2] == 0, "colours by the communicator's ranks");
  MPI_Comm_free(&node);
  MPI_Comm_free(&backwards);
}

int main(int argc, char** argv) {
  const int status = argc > 1 ? ESPALIER_NO_LIBRARY : ESPALIER_OK;
  int levels = 0, all = 0;
  MPI_Init(&argc, &argv);
  expect(espalier_discover() == status, "status of discover");
  check_world(status);
  if (status == ESPALIER_OK) {
    check_split();
    expect(espalier_topology_levels(MPI_COMM_NULL, &levels) == ESPALIER_OTHER_PROCESSES,
           "no processes");
  }
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all != 0;
}
