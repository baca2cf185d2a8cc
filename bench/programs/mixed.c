/* A loop of 20 mixed collective calls, short and long, whose results are checked.
 *
 *   mixed ROUNDS */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMost = 1 << 17 }; /* doubles: 1 MiB */
static double out[kMost], in[kMost];
static int wrong;

static void expect(int holds) { wrong += !holds; }

static void sum_of_all(int count, int size) {
  for (int i = 0; i < count; ++i) out[i] = 1 + i % 3;
  MPI_Allreduce(out, in, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  expect(in[0] == size && in[count - 1] == size * (1.0 + (count - 1) % 3));
}
static void sum_at(int root, int count, int me, int size) {
  for (int i = 0; i < count; ++i) out[i] = 2;
  MPI_Reduce(out, in, count, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
  expect(me != root || (in[0] == 2 * size && in[count - 1] == 2 * size));
}
static void from(int root, int count, int me) {
  for (int i = 0; i < count; ++i) out[i] = me == root ? i + 0.5 : -1;
  MPI_Bcast(out, count, MPI_DOUBLE, root, MPI_COMM_WORLD);
  expect(out[0] == 0.5 && out[count - 1] == count - 0.5);
}
static void collect(int count, int me, int size) {
  for (int i = 0; i < count; ++i) out[i] = me;
  MPI_Allgather(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int r = 0; r < size; ++r) expect(in[r * count] == r);
}
static void transpose(int count, int me, int size) {
  for (int r = 0; r < size; ++r)
    for (int i = 0; i < count; ++i) out[r * count + i] = me * 100 + r;
  MPI_Alltoall(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int r = 0; r < size; ++r) expect(in[r * count] == r * 100 + me);
}

int main(int argc, char **argv) {
  int me, size, all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int rounds = argc > 1 ? atoi(argv[1]) : 1;
  for (int round = 0; round < rounds; ++round) {
    sum_of_all(1, size), sum_of_all(1, size), sum_of_all(2, size), sum_of_all(1024, size),
        sum_of_all(16384, size);
    from(0, 1, me), from(0, 128, me), from(size / 2, 2048, me), from(0, 65536, me);
    sum_at(0, 1, me, size), sum_at(0, 2, me, size), sum_at(size - 1, 2048, me, size),
        sum_at(0, 16384, me, size);
    collect(1, me, size), collect(256, me, size), collect(2048, me, size);
    transpose(1, me, size), transpose(512, me, size);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (me == 0)
    printf("%d rounds of 20 calls, %d wrong: %s\n", rounds, all, all == 0 ? "right" : "wrong");
  MPI_Finalize();
  return me == 0 && all != 0 ? 1 : 0;
}
