// An ordinary MPI program, which knows nothing of Espalier: the collectives of a step of an
// iterative solver, and how long each takes with a barrier after it. `make demo` runs it without
// Espalier and with it.
//
// One line for each call, by rank 0: NAME BYTES MEAN_MS; the last one counts wrong results.
#define OMPI_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#include <mpi.h>

#include <cstdio>
#include <functional>
#include <vector>

namespace {

constexpr int kWarmUps = 2;
constexpr int kRepeats = 5;

/// Of the call and a barrier, so that every repeat begins when all have ended the one before:
/// without a common clock a call alone cannot be timed, since ranks leave a barrier at different
/// moments.
double mean_ms(const std::function<void()>& call) {
  double start = 0;
  for (int i = 0; i < kWarmUps + kRepeats; ++i) {
    if (i == kWarmUps) start = MPI_Wtime();
    call();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return 1e3 * (MPI_Wtime() - start) / kRepeats;
}

std::vector<double> filled(int count, double value) {
  return std::vector<double>(static_cast<std::size_t>(count), value);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int wrong = 0;
  const double sum = size * (size + 1) / 2.0;
  const auto tell = [&](const char* name, int count, double ms) {
    if (rank == 0) std::printf("%s %d %.2f\n", name, 8 * count, ms);
  };

  for (const int count : {128, 8192}) {  // parameters of the step
    std::vector<double> data;
    const double ms = mean_ms([&] {
      data = filled(count, rank == 0 ? 7 : 0);
      MPI_Bcast(data.data(), count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    });
    wrong += data != filled(count, 7) ? 1 : 0;
    tell("broadcast", count, ms);
  }
  for (const int count : {1, 8192}) {  // a scalar product; a correction that all need
    const std::vector<double> mine = filled(count, rank + 1);
    std::vector<double> all = mine;
    const double ms = mean_ms([&] {
      MPI_Allreduce(mine.data(), all.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    });
    wrong += all != filled(count, sum) ? 1 : 0;
    tell("allreduce", count, ms);
  }
  {  // a picture of the state
    constexpr int kCount = 16384;
    const std::vector<double> mine = filled(kCount, rank + 1);
    std::vector<double> all = mine;
    const double ms = mean_ms([&] {
      MPI_Reduce(mine.data(), all.data(), kCount, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    });
    wrong += rank == 0 && all != filled(kCount, sum) ? 1 : 0;
    tell("reduce", kCount, ms);
  }
  tell("barrier", 0, mean_ms([] {}));

  int all_wrong = 0;
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) std::printf("wrong %d\n", all_wrong);
  MPI_Finalize();
  return 0;
}
