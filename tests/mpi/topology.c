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

/* Depths and colours as attributes, as another library would read them. */
static void check_attributes(int status) {
  static const int nodes[6] = {0, 0, 1, 1, 2, 2};
  int depths_key = 0, colors_key = 0, again = 0, flag = 0, rank, copies;
  int* depths = NULL;
  int** colors = NULL;
  MPI_Comm copy, part;
  expect(espalier_topology_attach(MPI_COMM_WORLD, &depths_key, &colors_key) == status,
         "status of attributes");
  if (status != ESPALIER_OK) {
    expect(depths_key == MPI_KEYVAL_INVALID && colors_key == MPI_KEYVAL_INVALID, "no keyvals");
    return;
  }
  /* Attached again: what was there goes, the keyvals stay. */
  espalier_topology_attach(MPI_COMM_WORLD, &again, &colors_key);
  expect(again == depths_key, "one keyval for all");
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  for (copies = 0; copies < 2; ++copies) {
    MPI_Comm comm = copies ? copy : MPI_COMM_WORLD;
    MPI_Comm_get_attr(comm, depths_key, &depths, &flag);
    expect(flag, "depths are attached");
    MPI_Comm_get_attr(comm, colors_key, &colors, &flag);
    expect(flag, "colours are attached");
    for (rank = 0; flag && rank < 6; ++rank) {
      expect(depths[rank] == 3, "attached depth");
      expect(colors[rank][0] == 0 && colors[rank][1] == (nodes[rank] > 0) &&
                 colors[rank][2] == nodes[rank],
             "attached colours");
    }
  }
  MPI_Comm_free(&copy);
  MPI_Comm_get_attr(MPI_COMM_WORLD, colors_key, &colors, &flag);
  expect(flag && colors[5][2] == 2, "a freed copy takes nothing along");
  /* A communicator of others has none until somebody attaches them; then by its own ranks. */
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank < 4, -rank, &part);
  MPI_Comm_get_attr(part, depths_key, &depths, &flag);
  expect(!flag, "nothing is attached unasked");
  expect(espalier_topology_attach(part, &depths_key, &colors_key) == ESPALIER_OK, "a part");
  MPI_Comm_get_attr(part, colors_key, &colors, &flag);
  expect(flag && colors[0][2] == (rank < 4 ? 1 : 2), "colours by the part's ranks");
  MPI_Comm_free(&part);
  expect(
      espalier_topology_attach(MPI_COMM_NULL, &depths_key, &colors_key) == ESPALIER_OTHER_PROCESSES,
      "no processes, no attributes");
}

int main(int argc, char** argv) {
  const int status = argc > 1 ? ESPALIER_NO_LIBRARY : ESPALIER_OK;
  int levels = 0, all = 0;
  MPI_Init(&argc, &argv);
  expect(espalier_discover() == status, "status of discover");
  check_world(status);
  check_attributes(status);
  if (status == ESPALIER_OK) {
    check_split();
    expect(espalier_topology_levels(MPI_COMM_NULL, &levels) == ESPALIER_OTHER_PROCESSES,
           "no processes");
  }
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all != 0;
}
