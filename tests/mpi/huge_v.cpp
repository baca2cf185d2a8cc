// Blocks that travel in parts: 1.2 GB gathered at rank 0 beside a short one, and scattered again.
// Needs 4 GB of memory with two ranks; not run by default.
#include <array>
#include <vector>

#include "mpi/harness.hpp"

namespace espalier::mpi_test {
namespace {

int run() {
  Failures failures;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  constexpr int kLong = 150'000'001;
  const std::array<int, 2> counts{3, kLong}, displs{kLong + 7, 5};
  std::vector<double> mine(rank == 0 ? 3 : kLong), all(rank == 0 ? kLong + 10 : 0, -1);
  for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = static_cast<double>(i) + rank;
  MPI_Gatherv(mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE, all.data(), counts.data(),
              displs.data(), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  failures.expect(last_was_planned(), "native: " + last_text());
  for (std::size_t i = 0; rank == 0 && i < kLong; ++i) {
    failures.expect(all[5 + i] == static_cast<double>(i) + 1, "gatherv");
  }
  failures.expect(rank != 0 || (all[4] == -1 && all[kLong + 5] == -1 && all[kLong + 9] == 2),
                  "gatherv: gaps or the short block");
  std::vector<double>(mine.size(), -1).swap(mine);
  MPI_Scatterv(all.data(), counts.data(), displs.data(), MPI_DOUBLE, mine.data(),
               static_cast<int>(mine.size()), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  failures.expect(last_was_planned(), "native: " + last_text());
  for (std::size_t i = 0; i < mine.size(); ++i) {
    failures.expect(mine[i] == static_cast<double>(i) + rank, "scatterv");
  }
  return failures.exit_code();
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(argc, argv, espalier::mpi_test::run);
}
