// Communicators that are freed soon after a neighbourhood collective, while rank 2 is asleep
// outside of MPI. Rank 3 comes late to the last call, so that what the ranks agree on in it needs
// rank 2 again, which has left the call by then:
//
//   0 - 1 - 2        after one call nothing is under way: MPI_Comm_free waits for nobody
//   |                after two calls it waits as long as it takes: Open MPI goes on using a
//   3                communicator that was freed before an allreduce on it has ended
#include <array>
#include <chrono>
#include <thread>
#include <vector>

#include "mpi/harness.hpp"

namespace espalier::mpi_test {
namespace {

void sleep_for(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

/// @return seconds in MPI_Comm_free
double use_and_free(int rank, int calls, double asleep, Failures& failures) {
  const std::array index{2, 4, 5, 6};
  const std::array edges{1, 3, 0, 2, 1, 0};
  const std::array<std::vector<int>, 4> neighbours{{{1, 3}, {0, 2}, {1}, {0}}};
  MPI_Comm graph = MPI_COMM_NULL;
  MPI_Graph_create(MPI_COMM_WORLD, 4, index.data(), edges.data(), 0, &graph);
  const std::vector<int>& expected = neighbours.at(static_cast<std::size_t>(rank));
  for (int call = 1; call <= calls; ++call) {
    if (rank == 3 && call == calls) sleep_for(0.5);
    std::vector<int> got(expected.size(), -1);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, got.data(), 1, MPI_INT, graph);
    failures.expect(got == expected, "wrong data");
  }
  if (rank == 2) sleep_for(asleep);
  const double begin = MPI_Wtime();
  MPI_Comm_free(&graph);
  return MPI_Wtime() - begin;
}

/// --long 1: both cases.
int run_freed(int argc, char** argv) {
  // Longer than anybody waits for an allreduce that may never end.
  constexpr double kLonger = 13;
  Failures failures;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double took = use_and_free(rank, 1, 3, failures);
  failures.expect(took < 2, "waited in MPI_Comm_free after one call");
  PMPI_Barrier(MPI_COMM_WORLD);
  const bool is_long = option(argc, argv, "--long", 0) != 0;
  use_and_free(rank, 2, is_long ? kLonger : 0.5, failures);
  failures.expect(espalier_query_count("agreements left") == 0,
                  "an allreduce is under way on a communicator that was freed");
  return failures.exit_code();
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(argc, argv, espalier::mpi_test::run_freed);
}
