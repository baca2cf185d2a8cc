// counted_times MEAN DISTRIBUTION: simulated time of a scatterv and of a gatherv (the 20th call:
// the root has told its tree by then) of blocks of unequal lengths, from and to rank 0, in ms.
// Prints "scatterv MS gatherv MS" at rank 0. DISTRIBUTION: powerlaw (the k-th rank 1/k of the
// longest), giant (nine tenths to the last rank) or equal.
#include <smpi/smpi.h>
#include <smpi/smpi_helpers_internal.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

#include "mpi/harness.hpp"

namespace {

std::vector<int> lengths(const char* distribution, int mean, int size) {
  std::vector<double> weights(static_cast<std::size_t>(size), 1);
  if (std::strcmp(distribution, "powerlaw") == 0) {
    // Neighbours of every size: rank r is the (37 r mod size)-th.
    for (int r = 0; r < size; ++r) weights[static_cast<std::size_t>(r)] = 1.0 / (1 + 37 * r % size);
  } else if (std::strcmp(distribution, "giant") == 0) {
    weights.back() = 9.0 * size;
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<int> counts;
  for (const double w : weights) counts.push_back(static_cast<int>(w / sum * mean * size));
  return counts;
}

/// A moment that is still to come for everybody; returns when it is there.
double begin_together() {
  double moment = MPI_Wtime();
  PMPI_Allreduce(MPI_IN_PLACE, &moment, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  moment = std::ceil(moment) + 1;
  const double wait = moment - MPI_Wtime();
  const timespec time{static_cast<time_t>(wait),
                      static_cast<long>((wait - std::floor(wait)) * 1e9)};
  smpi_nanosleep(&time, nullptr);
  return moment;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 3) return 2;
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::vector<int> counts = lengths(argv[2], std::atoi(argv[1]), size);
  std::vector<int> displs(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), displs.begin(), 0);
  const int own = counts[static_cast<std::size_t>(rank)];
  std::vector<char> all(static_cast<std::size_t>(displs.back() + counts.back()));
  std::vector<char> mine(static_cast<std::size_t>(own) + 1);
  double times[2] = {0, 0};
  for (int call = 0; call < 20; ++call) {
    for (int gathers = 0; gathers < 2; ++gathers) {
      const double begin = begin_together();
      if (gathers == 0) {
        MPI_Scatterv(all.data(), counts.data(), displs.data(), MPI_BYTE, mine.data(), own, MPI_BYTE,
                     0, MPI_COMM_WORLD);
      } else {
        MPI_Gatherv(mine.data(), own, MPI_BYTE, all.data(), counts.data(), displs.data(), MPI_BYTE,
                    0, MPI_COMM_WORLD);
      }
      double end = MPI_Wtime();
      PMPI_Allreduce(MPI_IN_PLACE, &end, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      times[gathers] = end - begin;
    }
  }
  if (rank == 0) {
    std::printf("scatterv %.3f gatherv %.3f along %s\n", times[0] * 1e3, times[1] * 1e3,
                espalier::mpi_test::last_text().c_str());
  }
  MPI_Finalize();
  return 0;
}
