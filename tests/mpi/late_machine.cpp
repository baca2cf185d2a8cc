// Calls before and after the machine is found: on parts of the world, on copies of it, from one
// thread or from two. Prints, on rank 0, how each ran; results are checked on all.
//
//   late_machine [threads | uneven] [long [SECONDS]]
//
// With `uneven` rank 0 makes calls of its own between those of all.
// With `long` the program has run for 4 seconds or more before its first call, so that there is
// time for plans (docs/adr/0028-work-that-the-program-pays-for.md).
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "mpi/harness.hpp"

namespace espalier::mpi_test {
namespace {

/// A broadcast from the last rank; how it ran.
std::string broadcast(MPI_Comm comm, int count, Failures& failures) {
  int rank = 0, size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  std::vector<int> data(static_cast<std::size_t>(count), rank == size - 1 ? size : -1);
  MPI_Bcast(data.data(), count, MPI_INT, size - 1, comm);
  for (const int value : data) failures.expect(value == size, "broadcast");
  return library_is_there() ? last_text() : "without the library";
}

/// All members must have gone the same way: plans have one name on all ranks.
void expect_alike(const std::string& how, MPI_Comm comm, Failures& failures) {
  unsigned hash = 0;
  for (const char c : how) hash = hash * 31 + static_cast<unsigned char>(c);
  unsigned least = 0, most = 0;
  PMPI_Allreduce(&hash, &least, 1, MPI_UNSIGNED, MPI_MIN, comm);
  PMPI_Allreduce(&hash, &most, 1, MPI_UNSIGNED, MPI_MAX, comm);
  failures.expect(least == most, "members went different ways: here " + how);
}

void several(const char* what, MPI_Comm comm, int calls, int rank, Failures& failures) {
  for (int i = 0; i < calls; ++i) {
    const std::string how = broadcast(comm, 1000, failures);
    expect_alike(how, comm, failures);
    if (rank == 0) std::printf("%s %d: %s\n", what, i, how.c_str());
  }
}

/// The world and a part of it at once: which comes first differs from rank to rank.
void from_two_threads(MPI_Comm part, int rank, Failures& failures) {
  Failures other;
  std::thread thread([&] {
    for (int i = 0; i < 20; ++i) expect_alike(broadcast(part, 100, other), part, other);
  });
  for (int i = 0; i < 5; ++i) {
    expect_alike(broadcast(MPI_COMM_WORLD, 100, failures), MPI_COMM_WORLD, failures);
  }
  thread.join();
  failures.expect(other.count() == 0, "a call on a part");
  if (rank == 0) std::printf("threads are done\n");
}

int run_unevenly() {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Failures failures;
  for (int i = 0; i < 60; ++i) {
    int one = 1, sum = 0;
    if (rank == 0) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    failures.expect(sum == size, "allreduce");
  }
  return failures.exit_code();
}

int run(bool threads) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Failures failures;
  MPI_Comm part = MPI_COMM_NULL, copy = MPI_COMM_NULL, late = MPI_COMM_NULL;
  // Rank 0 is in it, and the last one: as far apart as they can be.
  const bool inside = rank % 3 == 0 || rank == size - 1;
  MPI_Comm_split(MPI_COMM_WORLD, inside ? 0 : 1, -rank, &part);
  // An own order: a communicator of all processes that is only similar to the world.
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &copy);
  several("part before", part, 3, rank, failures);
  // On even ranks it is under way while the machine is found in a call on another communicator, on
  // odd ones it comes later: nothing of ours may travel on the world then.
  MPI_Request request = MPI_REQUEST_NULL;
  int number = rank == 0 ? 7 : 0;
  const bool early = threads || rank % 2 == 0;
  if (early) MPI_Ibcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  if (threads) {
    from_two_threads(part, rank, failures);
  } else {
    several("copy", copy, 3, rank, failures);
  }
  if (!early) MPI_Ibcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  failures.expect(number == 7, "non-blocking broadcast");
  // Each on a copy that is freed at once: what is looked for meanwhile travels on such copies.
  for (int i = 0; i < 8 && !threads; ++i) {
    MPI_Comm brief = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &brief);
    static_cast<void>(broadcast(brief, 1000, failures));
    MPI_Comm_free(&brief);
  }
  // Enough calls for the machine to be found in them.
  several("world", MPI_COMM_WORLD, 15, rank, failures);
  several("part after", part, 10, rank, failures);
  MPI_Comm_split(MPI_COMM_WORLD, inside ? 0 : 1, rank, &late);
  several("late part", late, threads ? 12 : 3, rank, failures);
  for (MPI_Comm* comm : {&part, &copy, &late}) MPI_Comm_free(comm);
  return failures.exit_code();
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  bool threads = false;
  bool uneven = false;
  for (int i = 1; i < argc; ++i) {
    uneven |= std::strcmp(argv[i], "uneven") == 0;
    threads |= std::strcmp(argv[i], "threads") == 0;
    if (std::strcmp(argv[i], "long") != 0) continue;
    const int seconds = i + 1 < argc ? std::atoi(argv[i + 1]) : 0;
    std::this_thread::sleep_for(std::chrono::seconds(std::max(seconds, 4)));
  }
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  if (threads && provided != MPI_THREAD_MULTIPLE) {
    std::printf("no threads here\n");
    MPI_Finalize();
    return 0;
  }
  const int code = uneven ? espalier::mpi_test::run_unevenly() : espalier::mpi_test::run(threads);
  MPI_Finalize();
  return code;
}
