/* A linear system of PETSc: the Laplacian of a square of N x N points, solved by a Krylov method.
 *
 *   petsc_ksp -ksp_type cg -points 60 -solves 3
 *
 * Every iteration of cg has two or three dot products (allreduces of 8 to 16 bytes), gmres more,
 * pipecg one that does not block. Prints "right" if the solution is. With -times N it also prints
 * how long an iteration takes, and, as medians of N of the slowest rank, a product with the matrix
 * (the halo exchange and little else) and a dot product (an allreduce of 8 bytes): an iteration
 * that hides one behind the other takes about the longer of the two. */
#include <petscksp.h>
#include <stdlib.h>
#include <time.h>

static int by_size(const void *a, const void *b) {
  const double left = *(const double *)a, right = *(const double *)b;
  return left < right ? -1 : left > right;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* All ranks go on at one moment by the clock, which the hosts of a lab share: behind a barrier some
 * would begin a latency before others. */
static PetscErrorCode begin_together(double *begin) {
  double mine = now(), left;
  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Allreduce(&mine, begin, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  *begin += 60e-3;
  left = *begin - now();
  if (left > 0) {
    const struct timespec pause = {0, (long)(1e9 * left)};
    nanosleep(&pause, NULL);
  }
  PetscFunctionReturn(0);
}

/* Seconds of a product with the matrix, or of a dot product if there is none. */
static PetscErrorCode median_time(Mat matrix, Vec from, Vec to, PetscInt count, double *seconds) {
  double times[1000];
  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < count; ++i) {
    PetscScalar product = 0;
    double begin, mine, slowest;
    PetscCall(begin_together(&begin));
    if (matrix)
      PetscCall(MatMult(matrix, from, to));
    else
      PetscCall(VecDot(from, to, &product));
    mine = now() - begin;
    PetscCallMPI(MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
    times[i] = slowest;
  }
  qsort(times, (size_t)count, sizeof(double), by_size);
  *seconds = times[count / 2];
  PetscFunctionReturn(0);
}

static PetscErrorCode fill(Mat matrix, PetscInt points) {
  PetscInt first, end;
  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(matrix, &first, &end));
  for (PetscInt row = first; row < end; ++row) {
    const PetscInt x = row % points, y = row / points;
    if (x > 0) PetscCall(MatSetValue(matrix, row, row - 1, -1, INSERT_VALUES));
    if (x < points - 1) PetscCall(MatSetValue(matrix, row, row + 1, -1, INSERT_VALUES));
    if (y > 0) PetscCall(MatSetValue(matrix, row, row - points, -1, INSERT_VALUES));
    if (y < points - 1) PetscCall(MatSetValue(matrix, row, row + points, -1, INSERT_VALUES));
    PetscCall(MatSetValue(matrix, row, row, 4, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv) {
  PetscInt points = 60, solves = 1, iterations = 0, times = 0;
  double solving = 0;
  Mat matrix;
  Vec wanted, given, found;
  KSP solver;
  PetscReal error = 0, worst = 0;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-points", &points, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-solves", &solves, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-times", &times, NULL));
  times = PetscMin(times, 1000);
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, points * points,
                         points * points, 5, NULL, 5, NULL, &matrix));
  PetscCall(fill(matrix, points));
  PetscCall(MatCreateVecs(matrix, &wanted, &given));
  PetscCall(VecDuplicate(wanted, &found));
  PetscCall(VecSet(wanted, 1));
  PetscCall(MatMult(matrix, wanted, given));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &solver));
  PetscCall(KSPSetOperators(solver, matrix, matrix));
  PetscCall(KSPSetTolerances(solver, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(KSPSetFromOptions(solver));
  for (PetscInt i = 0; i < solves; ++i) {
    PetscInt took = 0;
    PetscCall(VecSet(found, 0));
    solving -= MPI_Wtime();
    PetscCall(KSPSolve(solver, given, found));
    solving += MPI_Wtime();
    PetscCall(KSPGetIterationNumber(solver, &took));
    PetscCall(VecAXPY(found, -1, wanted));
    PetscCall(VecNorm(found, NORM_INFINITY, &error));
    worst = PetscMax(worst, error);
    iterations += took;
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%d iterations, error %.1e: %s\n", (int)iterations,
                        (double)worst, worst < 1e-4 ? "right" : "wrong"));
  if (times > 0) {
    double halo = 0, dot = 0;
    PetscCall(median_time(matrix, wanted, given, times, &halo));
    PetscCall(median_time(NULL, wanted, given, times, &dot));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                          "iteration %.2f ms, halo exchange %.2f ms, allreduce %.2f ms\n",
                          1e3 * solving / (double)PetscMax(iterations, 1), 1e3 * halo, 1e3 * dot));
  }
  PetscCall(KSPDestroy(&solver));
  PetscCall(VecDestroy(&wanted));
  PetscCall(VecDestroy(&given));
  PetscCall(VecDestroy(&found));
  PetscCall(MatDestroy(&matrix));
  PetscCall(PetscFinalize());
  return worst < 1e-4 ? 0 : 1;
}
