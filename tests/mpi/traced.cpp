// Planned calls of several kinds, for a trace: whole and irregular, in place and not, on all ranks
// and on some.
#include <cstdio>
#include <vector>

#include "mpi/mpi_api.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<char> data(65536, 'x');
  std::vector<double> numbers(4096, rank), sums(4096);
  std::vector<int> counts, places;
  for (int r = 0; r < size; ++r) {
    counts.push_back(100 + r);
    places.push_back(200 * r);
  }
  for (int i = 0; i < 3; ++i) {
    MPI_Bcast(data.data(), 8, MPI_CHAR, i % size, MPI_COMM_WORLD);
    MPI_Bcast(data.data(), 65536, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Allreduce(numbers.data(), sums.data(), 4096, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, sums.data(), 4096, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allgatherv(data.data(), counts[static_cast<std::size_t>(rank)], MPI_CHAR,
                   data.data() + 1000, counts.data(), places.data(), MPI_CHAR, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, -rank, &part);
  if (part != MPI_COMM_NULL) {
    for (int i = 0; i < 3; ++i) MPI_Bcast(data.data(), 1000, MPI_CHAR, 1, part);
    MPI_Comm_free(&part);
  }
  const bool is_right = sums[0] == size * (size - 1) / 2.0;
  if (!is_right) std::printf("rank %d: wrong sum %g\n", rank, sums[0]);
  MPI_Finalize();
  return is_right ? 0 : 1;
}
