// Threads with a communicator each, all in collectives at once; each makes its hidden communicator
// while the others do the same in another order.
#include <thread>
#include <vector>

#include "mpi/harness.hpp"

namespace espalier::mpi_test {
namespace {

constexpr int kThreads = 4;
constexpr int kRounds = 60;

/// Rank r gives `count` numbers r + 1, rank 0 nothing.
bool gathers_blocks(MPI_Comm comm, int rank, int size, int count) {
  std::vector<int> counts(static_cast<std::size_t>(size), count), displs(counts.size());
  counts[0] = 0;
  for (std::size_t r = 1; r < displs.size(); ++r) displs[r] = displs[r - 1] + counts[r - 1];
  const std::vector<int> mine(static_cast<std::size_t>(count), rank + 1);
  std::vector<int> all(static_cast<std::size_t>(displs.back() + counts.back()));
  MPI_Allgatherv(mine.data(), counts[static_cast<std::size_t>(rank)], MPI_INT, all.data(),
                 counts.data(), displs.data(), MPI_INT, comm);
  if (!last_was_planned()) return false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] != static_cast<int>(i) / count + 2) return false;
  }
  return true;
}

void work(MPI_Comm comm, int number, int* failed) {
  int rank = 0, size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int round = 0; round < kRounds; ++round) {
    const int count = round % 7 == 0 ? 20000 : 1 + round;
    std::vector<int> data(static_cast<std::size_t>(count), rank == round % size ? round : -1);
    MPI_Bcast(data.data(), count, MPI_INT, round % size, comm);
    if (data.back() != round || !last_was_planned()) ++*failed;
    std::vector<int> sum(data.size());
    MPI_Allreduce(data.data(), sum.data(), count, MPI_INT, MPI_SUM, comm);
    if (sum.front() != round * size || !last_was_planned()) ++*failed;
    if ((round + number) % 5 == 0) MPI_Barrier(comm);
    if (!gathers_blocks(comm, rank, size, count)) ++*failed;
  }
}

int run() {
  Failures failures;
  std::vector<MPI_Comm> comms(kThreads);
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<int> failed(kThreads, 0);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back(work, comms[static_cast<std::size_t>(t)], t,
                         &failed[static_cast<std::size_t>(t)]);
  }
  for (std::thread& thread : threads) thread.join();
  for (const int one : failed) failures.expect(one == 0, std::to_string(one) + " wrong calls");
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  return failures.exit_code();
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  int code = 0;
  if (provided == MPI_THREAD_MULTIPLE) {
    code = espalier::mpi_test::run();
  } else {
    std::fprintf(stderr, "this MPI has no MPI_THREAD_MULTIPLE\n");
    code = 1;
  }
  MPI_Finalize();
  return code;
}
