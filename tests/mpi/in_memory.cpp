// Calls through the memory of a node, and ends of all kinds. in_memory_test.py looks at what is
// left.
//
//   in_memory end | abort | kill | many [NUMBER] | limited | tried | fork
//
// end: a few calls, then MPI_Finalize. abort, kill: rank 1 ends the program so in the midst of
// calls. many: communicators that are made, used and freed one after the other, root first.
// limited: files may not be long while the first call makes what it needs. tried: as many calls as
// trials need. fork: children of fork() come and go between calls.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

namespace {

int rank = 0, size = 1;

/// Calls of several lengths, more steps than there are slots. @return whether all results are right
bool calls_are_right(MPI_Comm comm) {
  bool are_right = true;
  for (const int count : {1, 1000, 200000}) {
    const auto n = static_cast<std::size_t>(count);
    std::vector<int> data(n, rank == 1 ? 7 : 0), sums(n);
    MPI_Bcast(data.data(), count, MPI_INT, 1, comm);
    are_right &= data.front() == 7 && data.back() == 7;
    MPI_Allreduce(data.data(), sums.data(), count, MPI_INT, MPI_SUM, comm);
    are_right &= sums.front() == 7 * size && sums.back() == 7 * size;
  }
  for (int i = 0; i < 30; ++i) MPI_Bcast(&i, 1, MPI_INT, 0, comm);
  return are_right;
}

bool many_communicators(int number) {
  bool are_right = true;
  for (int i = 0; i < number; ++i) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    int value = rank == 0 ? i : -1;
    MPI_Bcast(&value, 1, MPI_INT, 0, comm);
    are_right &= value == i;
    MPI_Comm_free(&comm);  // the root frees while others may still read
  }
  return are_right;
}

/// Calls that trials compare, on communicators of the same ranks one after the other: the second
/// one uses the memory of the first again.
bool tried_calls_are_right() {
  bool are_right = true;
  for (int i = 0; i < 2; ++i) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    std::vector<int> data(256);
    for (int call = 0; call < 3000; ++call) {
      data.assign(data.size(), rank == 0 ? call : -1);
      MPI_Bcast(data.data(), 256, MPI_INT, 0, comm);
      are_right &= data.front() == call && data.back() == call;
      int sum = rank;
      MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, comm);
      are_right &= sum == size * (size - 1) / 2;
    }
    MPI_Comm_free(&comm);
  }
  return are_right;
}

bool calls_beside_children_are_right() {
  bool are_right = true;
  for (int i = 0; i < 10; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    are_right &= calls_are_right(MPI_COMM_WORLD);
    int status = -1;
    are_right &= child > 0 && waitpid(child, &status, 0) == child && status == 0;
  }
  return are_right;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* const how = argc > 1 ? argv[1] : "end";
  if (std::strcmp(how, "limited") == 0) {
    rlimit usual{};
    getrlimit(RLIMIT_FSIZE, &usual);
    const rlimit low{4096, usual.rlim_max};
    setrlimit(RLIMIT_FSIZE, &low);
    MPI_Barrier(MPI_COMM_WORLD);
    setrlimit(RLIMIT_FSIZE, &usual);
  }
  bool is_right = calls_are_right(MPI_COMM_WORLD);
  if (std::strcmp(how, "many") == 0) {
    is_right = many_communicators(argc > 2 ? std::atoi(argv[2]) : 150) && is_right;
  }
  if (std::strcmp(how, "tried") == 0) is_right = tried_calls_are_right() && is_right;
  if (std::strcmp(how, "fork") == 0) is_right = calls_beside_children_are_right() && is_right;
  if (rank == 1 && std::strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 3);
  if (rank == 1 && std::strcmp(how, "kill") == 0) raise(SIGKILL);
  if (std::strcmp(how, "abort") == 0 || std::strcmp(how, "kill") == 0) MPI_Barrier(MPI_COMM_WORLD);
  int wrong = is_right ? 0 : 1, all = 0;
  PMPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("wrong %d\n", all);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
