/* Collectives of many sizes with their results checked, and operators that do not commute; says how
 * many values are wrong. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, ranks, wrong;

/* 2 x 2 matrices modulo a prime: associative, not commutative. */
static void multiply(void* in, void* inout, int* count, MPI_Datatype* type) {
  const int* a = in;
  int* b = inout;
  (void)type;
  for (int i = 0; i < *count; ++i, a += 4, b += 4) {
    const int c[4] = {(a[0] * b[0] + a[1] * b[2]) % 1009, (a[0] * b[1] + a[1] * b[3]) % 1009,
                      (a[2] * b[0] + a[3] * b[2]) % 1009, (a[2] * b[1] + a[3] * b[3]) % 1009};
    for (int j = 0; j < 4; ++j) b[j] = c[j];
  }
}

static void fill(int* matrices, int count, int of) {
  for (int i = 0; i < count; ++i) {
    const int m[4] = {1 + of, 2, i % 7, 3};
    for (int j = 0; j < 4; ++j) matrices[4 * i + j] = m[j];
  }
}

static void in_order(int count) {
  MPI_Op product;
  MPI_Datatype matrix;
  MPI_Op_create(multiply, 0, &product);
  MPI_Type_contiguous(4, MPI_INT, &matrix);
  MPI_Type_commit(&matrix);
  const size_t bytes = 4 * sizeof(int) * (size_t)count;
  int *mine = malloc(bytes), *result = malloc(bytes), *expected = malloc(bytes),
      *other = malloc(bytes);
  fill(expected, count, ranks - 1);
  for (int r = ranks - 2; r >= 0; --r) {
    fill(other, count, r);
    multiply(other, expected, &count, &matrix);
  }
  fill(mine, count, rank);
  for (int root = 0; root < ranks; root += ranks - 1) {
    MPI_Reduce(mine, result, count, matrix, product, root, MPI_COMM_WORLD);
    for (int i = 0; rank == root && i < 4 * count; ++i) wrong += result[i] != expected[i];
  }
  MPI_Allreduce(mine, result, count, matrix, product, MPI_COMM_WORLD);
  for (int i = 0; i < 4 * count; ++i) wrong += result[i] != expected[i];
  free(mine), free(result), free(expected), free(other);
  MPI_Type_free(&matrix);
  MPI_Op_free(&product);
}

static void of_size(int count) {
  int *mine = malloc(sizeof(int) * (size_t)count), *result = malloc(sizeof(int) * (size_t)count);
  int* blocks = malloc(sizeof(int) * (size_t)count * (size_t)ranks);
  const int sum_of_ranks = ranks * (ranks - 1) / 2;
  for (int root = 0; root < ranks; root += ranks - 1) {
    for (int i = 0; i < count; ++i) mine[i] = rank == root ? i + 7 : 0;
    MPI_Bcast(mine, count, MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; i < count; ++i) wrong += mine[i] != i + 7;
    for (int i = 0; i < count; ++i) mine[i] = i + rank;
    MPI_Reduce(mine, result, count, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    for (int i = 0; rank == root && i < count; ++i) wrong += result[i] != i * ranks + sum_of_ranks;
  }
  MPI_Allreduce(mine, result, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) wrong += result[i] != i * ranks + sum_of_ranks;
  MPI_Allgather(mine, count, MPI_INT, blocks, count, MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < ranks; ++r)
    for (int i = 0; i < count; ++i) wrong += blocks[(size_t)r * (size_t)count + (size_t)i] != i + r;
  MPI_Barrier(MPI_COMM_WORLD);
  free(mine), free(result), free(blocks);
}

/* Arguments that mean nothing are 0: the root's own block in place, what other ranks send in a
 * scatter, blocks of an allgather in place. Ranks must still take the same algorithm. */
static void without_own_sizes(int count) {
  const size_t block = (size_t)count;
  int* blocks = malloc(sizeof(int) * block * (size_t)ranks);
  int* mine = malloc(sizeof(int) * block);
  for (int root = 0; root < ranks; root += ranks - 1) {
    const int is_root = rank == root;
    int* own = blocks + block * (size_t)rank;
    for (int i = 0; i < count; ++i) mine[i] = own[i] = i + rank;
    MPI_Gather(is_root ? MPI_IN_PLACE : mine, is_root ? 0 : count, MPI_INT, blocks, count, MPI_INT,
               root, MPI_COMM_WORLD);
    for (int r = 0; is_root && r < ranks; ++r)
      for (int i = 0; i < count; ++i) wrong += blocks[(size_t)r * block + (size_t)i] != i + r;
    for (int i = 0; i < count; ++i) mine[i] = -1;
    MPI_Scatter(is_root ? blocks : NULL, is_root ? count : 0, MPI_INT, mine, count, MPI_INT, root,
                MPI_COMM_WORLD);
    for (int i = 0; i < count; ++i) wrong += mine[i] != i + rank;
    for (int i = 0; i < count; ++i) own[i] = i + rank;
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, blocks, count, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; ++r)
      for (int i = 0; i < count; ++i) wrong += blocks[(size_t)r * block + (size_t)i] != i + r;
  }
  free(blocks), free(mine);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc > 1) { /* one broadcast alone, to be looked at */
    char* bytes = calloc((size_t)atoi(argv[1]), 1);
    MPI_Bcast(bytes, atoi(argv[1]), MPI_CHAR, 0, MPI_COMM_WORLD);
    free(bytes);
  } else {
    const int counts[] = {1, 5, 100, 3000, 20000, 140000};
    for (int i = 0; i < 6; ++i) of_size(counts[i]);
    without_own_sizes(2), without_own_sizes(20000);
    in_order(1), in_order(4000);
  }
  int all = 0;
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("wrong %d\n", all);
  MPI_Finalize();
  return all != 0;
}
