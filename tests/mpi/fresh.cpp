// Fresh communicators: nothing is planned before it is due, and those of the same processes in the
// same order share what is.
//
//   fresh [--duplicates N]
#include <vector>

#include "mpi/harness.hpp"

namespace espalier::mpi_test {
namespace {

constexpr int kCallsUntilDue = 64;  // src/run/runtime/class_policy.cpp

void use(MPI_Comm comm, Failures& failures) {
  int rank = 0, size = 1, sum = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int value = rank == 0 ? 7 : 0;
  MPI_Bcast(&value, 1, MPI_INT, 0, comm);
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
  failures.expect(value == 7 && sum == 7 * size, "a broadcast and an allreduce");
}

int run(int argc, char** argv) {
  Failures failures;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::uint64_t duplicates = option(argc, argv, "--duplicates", 50);
  use(MPI_COMM_WORLD, failures);
  const auto expect = [&](const char* name, std::uint64_t wanted, const std::string& when) {
    const std::uint64_t found = espalier_query_count(name);
    failures.expect(found == wanted, std::to_string(found) + " " + name + " " + when);
  };
  std::vector<MPI_Comm> alive(duplicates);
  for (MPI_Comm& comm : alive) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    use(comm, failures);
  }
  expect("choices", 0, "for two calls on each duplicate");
  expect("groups", 1, "of duplicates");
  for (MPI_Comm& comm : alive) MPI_Comm_free(&comm);

  MPI_Comm turned = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
  use(turned, failures);
  expect("groups", 2, "with one in another order");

  // The others are gone, and this one has what they had.
  MPI_Comm last = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &last);
  for (int call = 0; call < kCallsUntilDue; ++call) use(last, failures);
  expect("choices", 0, "before the trial of a class is due");
  use(last, failures);
  failures.expect(espalier_query_count("choices") > 0, "nothing was planned when it was due");
  expect("groups", 2, "at last");
  MPI_Comm_free(&last);
  MPI_Comm_free(&turned);
  return failures.exit_code();
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(argc, argv, espalier::mpi_test::run);
}
