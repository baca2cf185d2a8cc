// A rank that is thousands of calls ahead of another, in a correct program: what it sends has the
// tag of the call in which the other still waits for a third, which is late. That is no error.
//
// Scatters of nothing are calls without messages: nothing holds rank 2 up, which then has reduced
// something of another length than rank 0, the root, waits for.
#include <unistd.h>

#include <array>

#include "mpi/harness.hpp"

namespace espalier::mpi_test {
namespace {

/// A whole number of the rounds that tags of either MPI tell apart.
constexpr int kRound = 16384;

void reduce(int count, int rank, Failures& failures) {
  std::array<int, 16> mine{}, sum{};
  mine.fill(rank + 1);
  MPI_Reduce(mine.data(), sum.data(), count, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  failures.expect(rank != 0 || sum[static_cast<std::size_t>(count - 1)] == 6, "a wrong sum");
}

void scatter_nothing() {
  const std::array<int, 3> none{};
  int nowhere = 0;
  MPI_Scatterv(&nowhere, none.data(), none.data(), MPI_INT, &nowhere, 0, MPI_INT, 2,
               MPI_COMM_WORLD);
}

int run() {
  Failures failures;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  reduce(1, rank, failures);
  failures.expect(last_was_planned(), "native: " + last_text());
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) sleep(3);  // longer than a rank waits before it looks at what others do
  reduce(1, rank, failures);
  for (int i = 1; i < kRound; ++i) scatter_nothing();
  failures.expect(last_was_planned(), "native: " + last_text());
  for (const int count : {3, 5, 9}) reduce(count, rank, failures);
  return failures.exit_code();
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(argc, argv, espalier::mpi_test::run);
}
