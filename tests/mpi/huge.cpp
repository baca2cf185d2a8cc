// Messages that MPI cannot count in int bytes: 2.2 GiB broadcast and summed, in parts on the way.
// Needs 10 GB of memory with two ranks; not run by default.
#include <vector>

#include "mpi/harness.hpp"

namespace espalier::mpi_test {
namespace {

int run() {
  Failures failures;
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  constexpr int kCount = 300'000'001;
  std::vector<double> data(kCount);
  if (rank == 0) {
    for (int i = 0; i < kCount; ++i) data[static_cast<std::size_t>(i)] = i;
  }
  MPI_Bcast(data.data(), kCount, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  failures.expect(last_was_planned(), "native: " + last_text());
  for (int i = 0; i < kCount; i += 1009) {
    failures.expect(data[static_cast<std::size_t>(i)] == i, "broadcast");
  }
  MPI_Allreduce(MPI_IN_PLACE, data.data(), kCount, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  failures.expect(last_was_planned(), "native: " + last_text());
  for (int i = 0; i < kCount; i += 1009) {
    failures.expect(data[static_cast<std::size_t>(i)] == static_cast<double>(i) * size,
                    "allreduce");
  }
#if MPI_VERSION >= 4
  // More elements than an int counts, on one rank; the other has them as doubles.
  constexpr MPI_Count kBytes = 8 * static_cast<MPI_Count>(kCount);
  if (rank == 0) data.back() = -1.25;
  if (rank == 0) {
    MPI_Bcast_c(data.data(), kBytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  } else {
    MPI_Bcast_c(data.data(), kCount, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }
  failures.expect(last_was_planned(), "native: " + last_text());
  failures.expect(data.back() == -1.25, "broadcast of a large count");
#endif
  return failures.exit_code();
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(argc, argv, espalier::mpi_test::run);
}
