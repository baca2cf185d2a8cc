/* A linear system of PETSc: the Laplacian of a square of N x N points, solved by a Krylov method.
 *
 *   petsc_ksp -ksp_type cg -points 60 -solves 3
 *
 * Every iteration of cg has two or three dot products (allreduces of 8 to 16 bytes), gmres more,
 * pipecg one that does not block. Prints "right" if the solution is. */
#include <petscksp.h>

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
  PetscInt points = 60, solves = 1, iterations = 0;
  Mat matrix;
  Vec wanted, given, found;
  KSP solver;
  PetscReal error = 0, worst = 0;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-points", &points, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-solves", &solves, NULL));
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
    PetscCall(KSPSolve(solver, given, found));
    PetscCall(KSPGetIterationNumber(solver, &took));
    PetscCall(VecAXPY(found, -1, wanted));
    PetscCall(VecNorm(found, NORM_INFINITY, &error));
    worst = PetscMax(worst, error);
    iterations += took;
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%d iterations, error %.1e: %s\n", (int)iterations,
                        (double)worst, worst < 1e-4 ? "right" : "wrong"));
  PetscCall(KSPDestroy(&solver));
  PetscCall(VecDestroy(&wanted));
  PetscCall(VecDestroy(&given));
  PetscCall(VecDestroy(&found));
  PetscCall(MatDestroy(&matrix));
  PetscCall(PetscFinalize());
  return worst < 1e-4 ? 0 : 1;
}
