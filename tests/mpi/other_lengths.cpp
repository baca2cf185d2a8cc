// Non-blocking collectives along plans whose lengths differ between ranks. The program is wrong,
// and no rank waits for ever: those whose data cannot come get an error, and later calls are right.
#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "mpi/harness.hpp"
#ifdef OPEN_MPI
#include <mpi-ext.h>  // persistent collectives have a name of their own there
#endif

namespace espalier::mpi_test {
namespace {

struct Ranks {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  int size = 1;
};

/// What a rank says of the call: rank 0's count differs from that of the others. The signatures of
/// the two differ: else MPI itself cuts a message off, and MPICH 4.0 calls the handler of
/// MPI_COMM_WORLD for that inside our own calls too.
struct Wrong {
  const char* name;
  int count_at_0, count;
  std::function<int(const Ranks&, int count, int* from, int* to, MPI_Request*)> start;
};

int handled = 0;  // calls of the program's error handler

void count_errors(MPI_Comm*, int*, ...) { ++handled; }

int broadcast(const Ranks& all, int count, int*, int* to, MPI_Request* request) {
  return MPI_Ibcast(to, count, MPI_INT, 0, all.comm, request);
}
int allreduce(const Ranks& all, int count, int* from, int* to, MPI_Request* request) {
  return MPI_Iallreduce(from, to, count, MPI_INT, MPI_SUM, all.comm, request);
}
int alltoall(const Ranks& all, int count, int* from, int* to, MPI_Request* request) {
  return MPI_Ialltoall(from, count, MPI_INT, to, count, MPI_INT, all.comm, request);
}
int gather(const Ranks& all, int count, int* from, int* to, MPI_Request* request) {
  return MPI_Igather(from, count, MPI_INT, to, count, MPI_INT, 0, all.comm, request);
}
int persistent(const Ranks& all, int count, int*, int* to, MPI_Request* request) {
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
  const int code = MPIX_Bcast_init(to, count, MPI_INT, 0, all.comm, MPI_INFO_NULL, request);
#else
  const int code = MPI_Bcast_init(to, count, MPI_INT, 0, all.comm, MPI_INFO_NULL, request);
#endif
  return code == MPI_SUCCESS ? MPI_Start(request) : code;
}

/// All ranks come out of it, some with an error, and whoever gets one is told once.
void ends(const Ranks& all, const Wrong& wrong, Failures& failures) {
  const int count = all.rank == 0 ? wrong.count_at_0 : wrong.count;
  const auto room = static_cast<std::size_t>(std::max(wrong.count, wrong.count_at_0) * all.size);
  // MPI may still write to what a failed call was given.
  static std::deque<std::vector<int>> kept;
  std::vector<int>& from = kept.emplace_back(room, 1);
  std::vector<int>& to = kept.emplace_back(room, 1);
  MPI_Request request = MPI_REQUEST_NULL;
  const int before = handled;
  int code = wrong.start(all, count, from.data(), to.data(), &request);
  failures.expect(code == MPI_SUCCESS && last_was_planned(), std::string(wrong.name) + ": start");
  code = MPI_Wait(&request, MPI_STATUS_IGNORE);
  failures.expect(handled - before == (code == MPI_SUCCESS ? 0 : 1),
                  std::string(wrong.name) + ": calls of the handler");
  int failed = code == MPI_SUCCESS ? 0 : 1, all_failed = 0;
  PMPI_Allreduce(&failed, &all_failed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  failures.expect(all_failed > 0, std::string(wrong.name) + ": nobody got an error");
  if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
}

/// Later calls on the same communicator, of both kinds.
void is_right(const Ranks& all, Failures& failures) {
  int sum = -1, again = -1, one = 1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all.comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Allreduce(&one, &again, 1, MPI_INT, MPI_SUM, all.comm);
  failures.expect(sum == all.size && again == all.size, "a later call");
}

int run(int /*argc*/, char** /*argv*/) {
  Failures failures;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(count_errors, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);  // MPICH's for all errors of MPI_Wait
  const std::array<Wrong, 7> wrong{Wrong{"short broadcast", 100, 50, broadcast},
                                   {"long broadcast", 500'000, 300'000, broadcast},
                                   {"longer broadcast", 300'000, 500'000, broadcast},
                                   {"allreduce", 1000, 11, allreduce},
                                   {"alltoall", 30'000, 3, alltoall},
                                   {"gather", 20'000, 7, gather},
                                   {"persistent broadcast", 10, 2000, persistent}};
  for (const Wrong& one : wrong) {
    Ranks all;
    MPI_Comm_dup(MPI_COMM_WORLD, &all.comm);
    MPI_Comm_set_errhandler(all.comm, handler);
    MPI_Comm_rank(all.comm, &all.rank);
    MPI_Comm_size(all.comm, &all.size);
    MPI_Barrier(all.comm);  // makes the hidden communicator
    const int before = failures.count();
    ends(all, one, failures);
    is_right(all, failures);
    if (failures.count() != before) std::fprintf(stderr, "in %s\n", one.name);
    MPI_Comm_free(&all.comm);
  }
  MPI_Errhandler_free(&handler);
  return failures.exit_code();
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(argc, argv, espalier::mpi_test::run);
}
