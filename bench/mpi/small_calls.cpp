// What interposing costs: the time of small collectives, MPI_X against PMPI_X, alternating so that
// a drifting machine hits both. Run it pinned, once for each case:
//
//   mpiexec.mpich -n 2 -bind-to core -genv LD_PRELOAD lib/libespalier.so
//       mpi/small_calls.mpich
//   mpiexec.openmpi -n 2 --bind-to core -x LD_PRELOAD=lib/libespalier.so
//       mpi/small_calls.openmpi
//
// As it is: pass-through, or what its trials chose. With ESPALIER_FORCE=1: planned, on one host.
#include <algorithm>
#include <cstdio>
#include <vector>

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

extern "C" __attribute__((weak)) const char* espalier_query_last(int* planned);

namespace {

constexpr int kCalls = 2000;
constexpr int kRounds = 41;

/// Nanoseconds a call.
template <typename Call>
double timed(Call call) {
  PMPI_Barrier(MPI_COMM_WORLD);
  const double begin = PMPI_Wtime();
  for (int i = 0; i < kCalls; ++i) call();
  return (PMPI_Wtime() - begin) / kCalls * 1e9;
}

template <typename Ours, typename Native>
void compare(const char* name, int rank, Ours ours, Native native) {
  for (int i = 0; i < kCalls; ++i) ours(), native();
  std::vector<double> a, b;
  for (int round = 0; round < kRounds; ++round) {
    a.push_back(timed(ours));
    b.push_back(timed(native));
  }
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  ours();
  if (rank != 0) return;
  int planned = 0;
  const char* how =
      espalier_query_last == nullptr ? "not preloaded" : espalier_query_last(&planned);
  const double x = a[kRounds / 2], y = b[kRounds / 2];
  std::printf("%-14s MPI_ %8.1f ns  PMPI_ %8.1f ns  difference %7.1f ns  ratio %.3f  %s\n", name, x,
              y, x - y, x / y, how);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double in = 1, out = 0;
  compare(
      "broadcast 8 B", rank, [&] { MPI_Bcast(&in, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD); },
      [&] { PMPI_Bcast(&in, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD); });
  compare(
      "allreduce 8 B", rank,
      [&] { MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); },
      [&] { PMPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); });
  compare(
      "barrier", rank, [&] { MPI_Barrier(MPI_COMM_WORLD); }, [&] { PMPI_Barrier(MPI_COMM_WORLD); });
  MPI_Finalize();
}
