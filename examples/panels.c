/* LU factorization of a dense matrix without pivoting, block-cyclic over a grid of processes:
 * panels go along rows and columns of the grid, which are communicators or system-ranked groups.
 *
 *   mpiexec -n 16 panels [N [BLOCK]]
 *
 * Prints for each how long it took to make the lines and to factorize, and how far L times U is
 * from the matrix. The exit code says whether both are right. */
#include <espalier/group.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row or a column of the grid; members are counted along it from 0. */
typedef struct Line {
  MPI_Comm comm;         /* MPI_COMM_NULL: it is a group */
  espalier_group* group; /* NULL: it is a communicator */
  int* rank_of;          /* rank that the system gave to each member */
} Line;

typedef struct Grid {
  int rank, rows, columns, row, column;
  int n, block, blocks;
  Line along_row, along_column;
  double* local; /* blocks of this process, each by rows */
} Grid;

static void broadcast(const Line* line, double* data, int count, int from) {
  if (line->group != NULL) {
    espalier_group_broadcast(line->group, data, count, MPI_DOUBLE, line->rank_of[from]);
  } else {
    MPI_Bcast(data, count, MPI_DOUBLE, from, line->comm);
  }
}

/* Diagonally dominant, so that no pivots are needed. */
static double entry(int n, int i, int j) {
  return i == j ? 2.0 * n : (double)((i * 31 + j * 17) % 23) / 23.0 - 0.5;
}

static int local_columns(const Grid* g) {
  return (g->blocks - g->column + g->columns - 1) / g->columns;
}
static int local_rows(const Grid* g) { return (g->blocks - g->row + g->rows - 1) / g->rows; }

/* Block (i, j) of the matrix. Only its owner asks for it. */
static double* block_at(const Grid* g, int i, int j) {
  const size_t at = (size_t)(i / g->rows) * (size_t)local_columns(g) + (size_t)(j / g->columns);
  return g->local + at * (size_t)(g->block * g->block);
}

static void fill(Grid* g) {
  for (int i = g->row; i < g->blocks; i += g->rows) {
    for (int j = g->column; j < g->blocks; j += g->columns) {
      double* block = block_at(g, i, j);
      for (int e = 0; e < g->block * g->block; ++e) {
        block[e] = entry(g->n, i * g->block + e / g->block, j * g->block + e % g->block);
      }
    }
  }
}

static void factor_block(double* a, int b) {
  for (int k = 0; k < b; ++k) {
    for (int i = k + 1; i < b; ++i) {
      a[i * b + k] /= a[k * b + k];
      for (int j = k + 1; j < b; ++j) a[i * b + j] -= a[i * b + k] * a[k * b + j];
    }
  }
}

/* a = L^-1 a, L being the unit lower part of d. */
static void solve_lower(const double* d, double* a, int b) {
  for (int k = 0; k < b; ++k) {
    for (int i = k + 1; i < b; ++i) {
      for (int j = 0; j < b; ++j) a[i * b + j] -= d[i * b + k] * a[k * b + j];
    }
  }
}

/* a = a U^-1, U being the upper part of d. */
static void solve_upper(const double* d, double* a, int b) {
  for (int k = 0; k < b; ++k) {
    for (int i = 0; i < b; ++i) {
      a[i * b + k] /= d[k * b + k];
      for (int j = k + 1; j < b; ++j) a[i * b + j] -= a[i * b + k] * d[k * b + j];
    }
  }
}

static void factorize(Grid* g) {
  const int b = g->block, size = b * b;
  double* diagonal = malloc(sizeof(double) * (size_t)size);
  double* left = malloc(sizeof(double) * (size_t)size * (size_t)(local_rows(g) + 1));
  double* upper = malloc(sizeof(double) * (size_t)size * (size_t)(local_columns(g) + 1));
  for (int k = 0; k < g->blocks; ++k) {
    const int owner_row = k % g->rows, owner_column = k % g->columns;
    const int in_row = g->row == owner_row, in_column = g->column == owner_column;
    if (in_row && in_column) {
      factor_block(block_at(g, k, k), b);
      memcpy(diagonal, block_at(g, k, k), sizeof(double) * (size_t)size);
    }
    if (in_row) broadcast(&g->along_row, diagonal, size, owner_column);
    if (in_column) broadcast(&g->along_column, diagonal, size, owner_row);
    int lefts = 0, uppers = 0;
    for (int i = g->row; i < g->blocks; i += g->rows) {
      if (i <= k) continue;
      if (in_column) {
        solve_upper(diagonal, block_at(g, i, k), b);
        memcpy(left + lefts * size, block_at(g, i, k), sizeof(double) * (size_t)size);
      }
      ++lefts;
    }
    for (int j = g->column; j < g->blocks; j += g->columns) {
      if (j <= k) continue;
      if (in_row) {
        solve_lower(diagonal, block_at(g, k, j), b);
        memcpy(upper + uppers * size, block_at(g, k, j), sizeof(double) * (size_t)size);
      }
      ++uppers;
    }
    if (lefts > 0) broadcast(&g->along_row, left, lefts * size, owner_column);
    if (uppers > 0) broadcast(&g->along_column, upper, uppers * size, owner_row);
    int l = 0;
    for (int i = g->row; i < g->blocks; i += g->rows) {
      if (i <= k) continue;
      int u = 0;
      for (int j = g->column; j < g->blocks; j += g->columns) {
        if (j <= k) continue;
        double* c = block_at(g, i, j);
        for (int r = 0; r < b; ++r) {
          for (int m = 0; m < b; ++m) {
            const double factor = left[l * size + r * b + m];
            for (int s = 0; s < b; ++s) c[r * b + s] -= factor * upper[u * size + m * b + s];
          }
        }
        ++u;
      }
      ++l;
    }
  }
  free(diagonal);
  free(left);
  free(upper);
}

/* y = L x with a unit diagonal, or y = U x. */
static void multiply(const Grid* g, int is_lower, const double* x, double* y) {
  double* mine = calloc((size_t)g->n, sizeof(double));
  for (int i = g->row; i < g->blocks; i += g->rows) {
    for (int j = g->column; j < g->blocks; j += g->columns) {
      const double* block = block_at(g, i, j);
      for (int e = 0; e < g->block * g->block; ++e) {
        const int r = i * g->block + e / g->block, c = j * g->block + e % g->block;
        if (is_lower && r == c) mine[r] += x[c];
        if (is_lower ? r > c : r <= c) mine[r] += block[e] * x[c];
      }
    }
  }
  MPI_Allreduce(mine, y, g->n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  free(mine);
}

/* The largest difference between L (U x) and A x, x being all ones. */
static double residual(const Grid* g) {
  double* x = malloc(sizeof(double) * (size_t)g->n);
  double* ux = malloc(sizeof(double) * (size_t)g->n);
  double* lux = malloc(sizeof(double) * (size_t)g->n);
  double worst = 0;
  for (int i = 0; i < g->n; ++i) x[i] = 1;
  multiply(g, 0, x, ux);
  multiply(g, 1, ux, lux);
  for (int i = 0; i < g->n; ++i) {
    double sum = 0;
    for (int j = 0; j < g->n; ++j) sum += entry(g->n, i, j);
    worst = fmax(worst, fabs(sum - lux[i]));
  }
  free(x);
  free(ux);
  free(lux);
  return worst;
}

static double slowest(double mine) {
  double most = 0;
  MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

/* The ranks that the system chose, by place along the line. */
static Line line_of(espalier_group* all, int colour, int place, int members) {
  Line line = {MPI_COMM_NULL, NULL, NULL};
  espalier_group_split(all, colour, &line.group);
  line.rank_of = calloc((size_t)members, sizeof(int));
  line.rank_of[place] = espalier_group_rank(line.group);
  espalier_group_allreduce(line.group, line.rank_of, members, MPI_INT, MPI_SUM);
  return line;
}

static void free_line(Line* line) {
  if (line->group != NULL) espalier_group_free(&line->group);
  if (line->comm != MPI_COMM_NULL) MPI_Comm_free(&line->comm);
  free(line->rank_of);
}

/* Both ways give the same numbers. */
static int run(Grid* g, const char* name, espalier_groups* groups) {
  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime();
  if (groups != NULL) {
    g->along_row = line_of(espalier_groups_all(groups), g->row, g->column, g->columns);
    g->along_column = line_of(espalier_groups_all(groups), g->column, g->row, g->rows);
  } else {
    g->along_row = g->along_column = (Line){MPI_COMM_NULL, NULL, NULL};
    MPI_Comm_split(MPI_COMM_WORLD, g->row, g->column, &g->along_row.comm);
    MPI_Comm_split(MPI_COMM_WORLD, g->column, g->row, &g->along_column.comm);
  }
  const double made = slowest(MPI_Wtime() - start);
  fill(g);
  MPI_Barrier(MPI_COMM_WORLD);
  start = MPI_Wtime();
  factorize(g);
  const double factorized = slowest(MPI_Wtime() - start);
  const double off = residual(g);
  free_line(&g->along_row);
  free_line(&g->along_column);
  if (g->rank == 0) {
    printf("%-13s lines made in %.6f s, factorized in %.6f s, off by %.1e\n", name, made,
           factorized, off);
  }
  return off < 1e-9 * g->n;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Grid g = {0};
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &g.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (g.rows = 1; (g.rows + 1) * (g.rows + 1) <= size; ++g.rows) {
  }
  while (size % g.rows != 0) --g.rows;
  g.columns = size / g.rows;
  g.row = g.rank / g.columns;
  g.column = g.rank % g.columns;
  g.block = argc > 2 ? atoi(argv[2]) : 16;
  g.blocks = (argc > 1 ? atoi(argv[1]) : 256) / (g.block > 0 ? g.block : 1);
  if (g.block < 1 || g.blocks < 1) {
    if (g.rank == 0) fprintf(stderr, "panels: N and BLOCK are numbers, N at least BLOCK\n");
    MPI_Finalize();
    return 2;
  }
  g.n = g.blocks * g.block;
  g.local = malloc(sizeof(double) * (size_t)(local_rows(&g) * local_columns(&g) + 1) *
                   (size_t)(g.block * g.block));
  espalier_groups* groups = NULL;
  int right = espalier_groups_open(MPI_COMM_WORLD, 0, NULL, &groups) == MPI_SUCCESS;
  right = run(&g, "communicators", NULL) && right;
  right = run(&g, "groups", groups) && right;
  espalier_groups_close(&groups);
  free(g.local);
  MPI_Finalize();
  return right ? 0 : 1;
}
