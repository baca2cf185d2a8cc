/* ScaLAPACK: systems of N equations by LU on a grid of processes, solved and checked.
 *
 *   scalapack_solve N BLOCK SOLVES
 *
 * Panels go along rows and columns of the grid by the broadcasts and sums of the BLACS. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
void Cblacs_gridexit(int context);
int numroc_(const int *n, const int *block, const int *mine, const int *first, const int *count);
void descinit_(int *descriptor, const int *rows, const int *columns, const int *row_block,
               const int *column_block, const int *first_row, const int *first_column,
               const int *context, const int *leading, int *info);
void pdgesv_(const int *n, const int *right_sides, double *a, const int *row, const int *column,
             const int *descriptor, int *pivots, double *b, const int *b_row, const int *b_column,
             const int *b_descriptor, int *info);

static const int kZero = 0, kOne = 1;

/* Entry (i, j): strongly diagonal, so that the solution of A x = A (1, ..., 1) is known well. */
static double entry(int i, int j, int n) { return i == j ? n : 1.0 / (1 + (i * 7 + j * 13) % 11); }

static int global_index(int local, int block, int mine, int count) {
  return (local / block * count + mine) * block + local % block;
}

/* The largest error of this process's part of the solution; -1 if the solver failed. */
static double solve(int context, int n, int block) {
  int rows, columns, row, column, info, descriptor[9], b_descriptor[9];
  Cblacs_gridinfo(context, &rows, &columns, &row, &column);
  const int own_rows = numroc_(&n, &block, &row, &kZero, &rows);
  const int own_columns = numroc_(&n, &block, &column, &kZero, &columns);
  const int leading = own_rows > 1 ? own_rows : 1;
  double *a = malloc(sizeof *a * (size_t)leading * (size_t)(own_columns + 1));
  double *b = calloc((size_t)leading, sizeof *b);
  int *pivots = malloc(sizeof *pivots * (size_t)(own_rows + block));
  descinit_(descriptor, &n, &n, &block, &block, &kZero, &kZero, &context, &leading, &info);
  descinit_(b_descriptor, &n, &kOne, &block, &block, &kZero, &kZero, &context, &leading, &info);
  for (int i = 0; i < own_rows; ++i) {
    const int global_row = global_index(i, block, row, rows);
    for (int j = 0; j < own_columns; ++j)
      a[i + (size_t)j * (size_t)leading] =
          entry(global_row, global_index(j, block, column, columns), n);
    for (int j = 0; column == 0 && j < n; ++j) b[i] += entry(global_row, j, n);
  }
  pdgesv_(&n, &kOne, a, &kOne, &kOne, descriptor, pivots, b, &kOne, &kOne, b_descriptor, &info);
  double worst = info == 0 ? 0 : -1;
  for (int i = 0; info == 0 && column == 0 && i < own_rows; ++i)
    worst = fmax(worst, fabs(b[i] - 1));
  free(a);
  free(b);
  free(pivots);
  return worst;
}

int main(int argc, char **argv) {
  int size, me, context, is_wrong = 0, any = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  const int n = argc > 1 ? atoi(argv[1]) : 240, block = argc > 2 ? atoi(argv[2]) : 16,
            solves = argc > 3 ? atoi(argv[3]) : 1;
  int rows = 1;
  for (int r = 1; r * r <= size; ++r) rows = size % r == 0 ? r : rows;
  Cblacs_get(-1, 0, &context);
  Cblacs_gridinit(&context, "Row", rows, size / rows);
  for (int i = 0; i < solves; ++i) {
    const double worst = solve(context, n, block);
    is_wrong += worst < 0 || worst > 1e-8;
  }
  MPI_Allreduce(&is_wrong, &any, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0)
    printf("%d systems of %d equations on %d x %d: %s\n", solves, n, rows, size / rows,
           any == 0 ? "right" : "wrong");
  Cblacs_gridexit(context);
  MPI_Finalize();
  return any == 0 ? 0 : 1;
}
