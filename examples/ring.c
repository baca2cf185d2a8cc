/* Blocks of particles go round a ring, so that every process meets every block: once round by rank,
 * once round by who is near whom. The order comes from the topology attributes of the communicator
 * (espalier.h), so a library that has nothing but the communicator can do the same.
 *
 *   mpiexec -n 12 ring [BYTES OF A BLOCK] [TIMES ROUND]     preloaded, or without Espalier
 *
 * Where ranks are dealt out in turn over sites, a ring by rank has all of its blocks on the slow
 * links at once; a ring by colours has one for each site. */
#include <espalier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Who comes before whom: by colours, level by level from the slowest, then by rank. */
struct Place {
  int rank, depth;
  const int* colors;
};

static int by_place(const void* left, const void* right) {
  const struct Place* a = left;
  const struct Place* b = right;
  int level;
  for (level = 0; level < a->depth && level < b->depth; ++level) {
    if (a->colors[level] != b->colors[level]) return a->colors[level] < b->colors[level] ? -1 : 1;
  }
  if (a->depth != b->depth) return a->depth < b->depth ? -1 : 1;
  return a->rank < b->rank ? -1 : 1;
}

/* The ranks in the order of the ring; by number where nothing is attached. Local. */
static void ring_order(MPI_Comm comm, int depths_key, int colors_key, int* order) {
  int size, rank, found = 0;
  int* depths = NULL;
  int** colors = NULL;
  struct Place* places;
  MPI_Comm_size(comm, &size);
  for (rank = 0; rank < size; ++rank) order[rank] = rank;
  if (depths_key != MPI_KEYVAL_INVALID) MPI_Comm_get_attr(comm, depths_key, &depths, &found);
  if (found) MPI_Comm_get_attr(comm, colors_key, &colors, &found);
  if (!found) return;
  places = malloc(sizeof *places * (size_t)size);
  if (places == NULL) MPI_Abort(comm, 1);
  for (rank = 0; rank < size; ++rank) {
    places[rank].rank = rank;
    places[rank].depth = depths[rank];
    places[rank].colors = colors[rank];
  }
  qsort(places, (size_t)size, sizeof *places, by_place);
  for (rank = 0; rank < size; ++rank) order[rank] = places[rank].rank;
  free(places);
}

/* Once round the ring. Returns the sum over all blocks that came by: the same for any order. */
static double once_round(MPI_Comm comm, const int* order, double* block, double* next, int count) {
  int size, rank, at = 0, step, i;
  double sum = 0;
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &rank);
  while (order[at] != rank) ++at;
  for (i = 0; i < count; ++i) block[i] = rank + 1;
  for (step = 0; step < size; ++step) {
    for (i = 0; i < count; ++i) sum += block[i];
    if (step + 1 == size) break;
    MPI_Sendrecv(block, count, MPI_DOUBLE, order[(at + 1) % size], 1, next, count, MPI_DOUBLE,
                 order[(at + size - 1) % size], 1, comm, MPI_STATUS_IGNORE);
    memcpy(block, next, sizeof *block * (size_t)count);
  }
  return sum;
}

/* Seconds of one round on the slowest rank, the least of several. */
static double time_of(MPI_Comm comm, const int* order, double* block, double* next, int count,
                      int times, int* is_wrong) {
  int size, turn;
  double best = -1;
  MPI_Comm_size(comm, &size);
  for (turn = 0; turn < times; ++turn) {
    double begin, took, slowest;
    MPI_Barrier(comm);
    begin = MPI_Wtime();
    *is_wrong |= once_round(comm, order, block, next, count) != 0.5 * count * size * (size + 1);
    took = MPI_Wtime() - begin;
    MPI_Allreduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm);
    if (best < 0 || slowest < best) best = slowest;
  }
  return best;
}

int main(int argc, char** argv) {
  const int count = (argc > 1 ? atoi(argv[1]) : 65536) / (int)sizeof(double);
  const int times = argc > 2 ? atoi(argv[2]) : 3;
  int size, rank, depths_key, colors_key, is_wrong = 0, any_wrong;
  int* order;
  double *block, *next, by_rank, by_colors;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  order = malloc(sizeof *order * (size_t)size);
  block = malloc(sizeof *block * (size_t)count + 1);
  next = malloc(sizeof *next * (size_t)count + 1);
  if (count < 1 || times < 1 || order == NULL || block == NULL || next == NULL) {
    if (rank == 0) fprintf(stderr, "usage: ring [BYTES OF A BLOCK] [TIMES ROUND]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  espalier_discover();
  ring_order(MPI_COMM_WORLD, MPI_KEYVAL_INVALID, MPI_KEYVAL_INVALID, order);
  by_rank = time_of(MPI_COMM_WORLD, order, block, next, count, times, &is_wrong);
  espalier_topology_attach(MPI_COMM_WORLD, &depths_key, &colors_key);
  ring_order(MPI_COMM_WORLD, depths_key, colors_key, order);
  by_colors = time_of(MPI_COMM_WORLD, order, block, next, count, times, &is_wrong);
  MPI_Allreduce(&is_wrong, &any_wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("once round by rank %.1f ms, by colours %.1f ms\n", 1e3 * by_rank, 1e3 * by_colors);
    if (any_wrong) fprintf(stderr, "ring: a block was lost\n");
  }
  free(order);
  free(block);
  free(next);
  MPI_Finalize();
  return any_wrong;
}
