// What a fresh communicator costs: a broadcast and an allreduce of 8 bytes on a new duplicate,
// MPI_X against PMPI_X in turn, so that a drifting machine hits both; and the memory of
// communicators. scripts/bench_fresh_duplicates.sh runs it under each MPI.
//
//   fresh_duplicates time           microseconds on each fresh duplicate: least and median
//   fresh_duplicates alive N        growth of the process with N duplicates alive, each used once
//   fresh_duplicates freed N        growth after N duplicates were made, used and freed
//   ... native                      the last two: PMPI_X alone, what the MPI library itself takes
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

namespace {

constexpr int kRounds = 400;

struct Calls {
  int (*bcast)(void*, int, MPI_Datatype, int, MPI_Comm);
  int (*allreduce)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
};
constexpr Calls kOurs{MPI_Bcast, MPI_Allreduce};
constexpr Calls kNative{PMPI_Bcast, PMPI_Allreduce};

void use(const Calls& calls, MPI_Comm comm) {
  double value = 1, sum = 0;
  calls.bcast(&value, 1, MPI_DOUBLE, 0, comm);
  calls.allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
}

/// Microseconds of both calls, on the rank that took longest.
double timed(const Calls& calls) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  use(kNative, comm);  // the MPI library's own work at first use is not measured
  PMPI_Barrier(MPI_COMM_WORLD);
  const double begin = PMPI_Wtime();
  use(calls, comm);
  double took = PMPI_Wtime() - begin, longest = 0;
  PMPI_Allreduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Comm_free(&comm);
  return longest * 1e6;
}

void print_times(int rank) {
  std::vector<double> ours, native;
  use(kOurs, MPI_COMM_WORLD);
  for (int i = 0; i < kRounds; ++i) {
    native.push_back(timed(kNative));
    ours.push_back(timed(kOurs));
  }
  std::sort(ours.begin(), ours.end());
  std::sort(native.begin(), native.end());
  if (rank != 0) return;
  std::printf(
      "broadcast + allreduce on a fresh duplicate, us: native %.2f (least %.2f), with the "
      "library %.2f (least %.2f), more %.2f (least %.2f)\n",
      native[kRounds / 2], native[0], ours[kRounds / 2], ours[0],
      ours[kRounds / 2] - native[kRounds / 2], ours[0] - native[0]);
}

double resident_kib() {
  long all = 0, resident = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%ld %ld", &all, &resident) != 2) std::abort();
  std::fclose(file);
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1024;
}

void print_memory(int rank, const Calls& calls, int count, bool are_alive) {
  constexpr int kWarmUp = 100;  // first calls, whose one-time work is not counted
  std::vector<MPI_Comm> alive;
  double begin = 0;
  const auto dup = [&] {
    MPI_Comm comm = MPI_COMM_NULL;
    PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
    use(calls, comm);
    return comm;
  };
  for (int i = 0; i < kWarmUp; ++i) {
    MPI_Comm comm = dup();
    PMPI_Comm_free(&comm);
  }
  begin = resident_kib();
  for (int i = 0; i < count; ++i) {
    MPI_Comm comm = dup();
    if (are_alive) {
      alive.push_back(comm);
    } else {
      PMPI_Comm_free(&comm);
    }
  }
  const double grown = resident_kib() - begin;
  if (rank == 0) {
    std::printf("%d duplicates %s: %.0f KiB more, %.3f KiB each\n", count,
                are_alive ? "alive" : "made and freed", grown, grown / count);
  }
  for (MPI_Comm& comm : alive) PMPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const Calls& calls = argc > 3 && std::strcmp(argv[3], "native") == 0 ? kNative : kOurs;
  if (argc > 2) {
    print_memory(rank, calls, std::atoi(argv[2]), std::strcmp(argv[1], "alive") == 0);
  } else {
    print_times(rank);
  }
  MPI_Finalize();
  return 0;
}
