// Fresh communicators: nothing is planned before it is due, and those of the same processes in the
// same order share what is. Nothing is chosen where there is no time for a trial.
//
//   fresh [--duplicates N]
#include <chrono>
#include <thread>
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

/// Communicators that are freed as soon as a trial is due on them. What they find out is lost, so
/// there is time for few of them.
template <typename Call>
void expect_few_choices(const char* what, const Call& call, Failures& failures) {
  constexpr std::uint64_t kRounds = 150;
  const std::uint64_t before = espalier_query_count("choices");
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    MPI_Comm brief = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &brief);
    for (int i = 0; i < kCallsUntilDue + 2; ++i) call(brief);
    MPI_Comm_free(&brief);
  }
  const std::uint64_t made = espalier_query_count("choices") - before;
  failures.expect(made < kRounds / 2, std::to_string(made) + " choices for " + what);
}

void expect_few_choices_of_all(Failures& failures) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<int> all(static_cast<std::size_t>(size)), counts(all.size(), 1), starts;
  for (int r = 0; r < size; ++r) starts.push_back(r);
  expect_few_choices(
      "barriers", [](MPI_Comm comm) { MPI_Barrier(comm); }, failures);
  expect_few_choices(
      "allgathervs",
      [&](MPI_Comm comm) {
        MPI_Allgatherv(&rank, 1, MPI_INT, all.data(), counts.data(), starts.data(), MPI_INT, comm);
      },
      failures);
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
  // 2 % of these times pay for a trial: at once, or later where ranks wait for a core. They ask
  // ever more rarely.
  constexpr int kMostTurns = 60, kCallsInTurn = 64;
  const auto is_chosen = [] {
    int chosen = espalier_query_count("choices") > 0 ? 1 : 0;
    PMPI_Allreduce(MPI_IN_PLACE, &chosen, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return chosen != 0;
  };
  for (int turn = 0; turn < kMostTurns && !is_chosen(); ++turn) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    for (int call = 0; call < kCallsInTurn; ++call) use(last, failures);
  }
  failures.expect(espalier_query_count("choices") > 0, "nothing was planned when it was due");
  expect("groups", 2, "at last");
  MPI_Comm_free(&last);
  MPI_Comm_free(&turned);
  expect_few_choices_of_all(failures);
  return failures.exit_code();
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(argc, argv, espalier::mpi_test::run);
}
