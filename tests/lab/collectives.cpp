// A small MPI program for the lab's test, built for both MPIs: every rank says where it is, then
// broadcasts from every root and allreduces are compared with what they have to be. The last line
// has the median time of a small allreduce.
#define OMPI_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace {

int wrong(int rank, int size, int count) {
  int errors = 0;
  for (int root = 0; root < size; ++root) {
    std::vector<int> data(static_cast<std::size_t>(count), rank == root ? root + 7 : -1);
    MPI_Bcast(data.data(), count, MPI_INT, root, MPI_COMM_WORLD);
    errors += std::any_of(data.begin(), data.end(), [&](int v) { return v != root + 7; }) ? 1 : 0;
  }
  std::vector<int> mine(static_cast<std::size_t>(count), rank + 1);
  std::vector<int> sum(mine.size());
  MPI_Allreduce(mine.data(), sum.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  const int expected = size * (size + 1) / 2;
  errors += std::any_of(sum.begin(), sum.end(), [&](int v) { return v != expected; }) ? 1 : 0;
  return errors;
}

double median_allreduce_ms() {
  std::vector<double> times;
  for (int i = 0; i < 9; ++i) {
    int one = 1;
    int sum = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    times.push_back(MPI_Wtime() - start);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2] * 1e3;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  char name[MPI_MAX_PROCESSOR_NAME] = {};
  int length = 0;
  MPI_Get_processor_name(name, &length);
  std::vector<char> names(static_cast<std::size_t>(size) * MPI_MAX_PROCESSOR_NAME);
  MPI_Gather(name, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, names.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR,
             0, MPI_COMM_WORLD);
  int errors = wrong(rank, size, 1) + wrong(rank, size, 5000);
  int all_errors = 0;
  MPI_Reduce(&errors, &all_errors, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  const double ms = median_allreduce_ms();
  if (rank == 0) {
    for (int r = 0; r < size; ++r)
      std::printf("rank %d on %s\n", r, &names[r * MPI_MAX_PROCESSOR_NAME]);
    std::printf("errors %d\nallreduce %.2f ms\n", all_errors, ms);
  }
  MPI_Finalize();
  return all_errors == 0 ? 0 : 1;
}
