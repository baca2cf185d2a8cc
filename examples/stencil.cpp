// An ordinary MPI program: a sum over neighbours on a grid of processes, which permits MPI to
// reorder them. Prints the mean time of a step and how many values were wrong. With
// ESPALIER_REORDER=1 and Espalier preloaded, neighbours come together.
//
//   mpiexec -n 8 stencil [STEPS] [BYTES]
#define OMPI_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int steps = argc > 1 ? std::atoi(argv[1]) : 50;
  const int count = (argc > 2 ? std::atoi(argv[2]) : 8192) / 8;
  int size = 0, dims[2] = {0, 0}, periods[2] = {0, 0}, at[2] = {}, me = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 2, dims);
  MPI_Comm grid = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, /*reorder=*/1, &grid);
  MPI_Comm_rank(grid, &me);
  MPI_Cart_coords(grid, me, 2, at);
  const auto value = [&](int row, int column, int step) {
    return row < 0 || column < 0 || row >= dims[0] || column >= dims[1]
               ? 0.0
               : 1000.0 * row + column + step;
  };
  std::vector<double> out(static_cast<std::size_t>(count)), in(out.size());
  int wrong = 0, all_wrong = 0;
  MPI_Barrier(grid);
  const double begin = MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    for (double& x : out) x = value(at[0], at[1], step);
    double sum = 0, wanted = 0;
    for (int d = 0; d < 2; ++d) {
      for (const int way : {-1, 1}) {
        int from = 0, to = 0;
        MPI_Cart_shift(grid, d, way, &from, &to);
        for (double& x : in) x = 0;
        MPI_Sendrecv(out.data(), count, MPI_DOUBLE, to, 1, in.data(), count, MPI_DOUBLE, from, 1,
                     grid, MPI_STATUS_IGNORE);
        sum += in.back();
        wanted += value(at[0] - (d == 0 ? way : 0), at[1] - (d == 1 ? way : 0), step);
      }
    }
    wrong += sum == wanted ? 0 : 1;
  }
  double mine = (MPI_Wtime() - begin) / steps, longest = 0;
  MPI_Reduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, grid);
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, grid);
  if (me == 0)
    std::printf("stencil %d x %d: %.3f ms a step, %d wrong\n", dims[0], dims[1], 1e3 * longest,
                all_wrong);
  MPI_Finalize();
  return me == 0 && all_wrong != 0 ? 1 : 0;
}
