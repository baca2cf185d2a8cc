// A small unmodified program: each operation once, checked; prints how many calls were planned and
// native on rank 0. With "kill" rank 1 is killed in the middle, with "mismatch
// OPERATION N" rank 1 has N times as many elements as the others (OPERATION root: another root),
// with "mixed-threads" odd ranks ask for MPI_THREAD_MULTIPLE, with "starts" three calls that do not
// block follow, with "odd" a call that is hard to tell of.
#include <array>
#include <csignal>
#include <cstring>
#include <string>
#include <vector>

#include "mpi/harness.hpp"

namespace espalier::mpi_test {
namespace {

void all_operations(int rank, int size, int count, Failures& failures) {
  std::vector<int> data(static_cast<std::size_t>(count), rank == size - 1 ? 42 : -1);
  MPI_Bcast(data.data(), count, MPI_INT, size - 1, MPI_COMM_WORLD);
  for (const int value : data) failures.expect(value == 42, "broadcast");
  std::vector<int> sum(data.size());
  MPI_Allreduce(data.data(), sum.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (const int value : sum) failures.expect(value == 42 * size, "allreduce");
  MPI_Reduce(data.data(), sum.data(), count, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) failures.expect(sum.empty() || sum.back() == 42, "reduce");
  MPI_Barrier(MPI_COMM_WORLD);
}

/// The call is wrong: some rank must be told. It then ends the program with 77.
void mismatch(const std::string& operation, int rank, int times) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int count = 2000 * (rank == 1 ? times : 1);
  std::vector<int> data(static_cast<std::size_t>(count)), result(data.size());
  int code = MPI_SUCCESS;
  if (operation == "broadcast") {
    code = MPI_Bcast(data.data(), count, MPI_INT, 0, MPI_COMM_WORLD);
  } else if (operation == "reduce") {
    code = MPI_Reduce(data.data(), result.data(), count, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  } else if (operation == "allreduce") {
    code = MPI_Allreduce(data.data(), result.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  } else {  // another root
    code = MPI_Bcast(data.data(), 2000, MPI_INT, rank == 1 ? 1 : 0, MPI_COMM_WORLD);
  }
  if (code != MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 77);
  MPI_Barrier(MPI_COMM_WORLD);
}

/// Rank 1 is killed while calls that do not block are under way.
[[noreturn]] void kill_pending(int rank) {
  std::vector<int> data(20000), result(data.size());
  for (int round = 0;; ++round) {
    std::array<MPI_Request, 2> requests{};
    MPI_Ibcast(data.data(), 20000, MPI_INT, 1, MPI_COMM_WORLD, requests.data());
    MPI_Iallreduce(&rank, result.data(), 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
    if (rank == 1 && round == 3) std::raise(SIGKILL);
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
  }
}

void start_some(int rank, int size, Failures& failures) {
  for (int i = 0; i < 3; ++i) {
    int sum = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    failures.expect(sum == size * (size - 1) / 2, "sum of a call that does not block");
  }
}

/// For the log: an element of 2 GiB of data in 32 KiB of memory, on a communicator whose name would
/// clear the screen. One rank moves nothing.
void odd_to_tell() {
  MPI_Comm_set_name(MPI_COMM_WORLD, "odd\x1b[2J\nname");
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(1 << 16, 1 << 15, 0, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  std::vector<char> data(1 << 15);
  MPI_Bcast(data.data(), 1, type, 0, MPI_COMM_WORLD);
  MPI_Type_free(&type);
}

int run(int argc, char** argv) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Failures failures;
  for (const int count : {0, 1, 1000, 100000}) all_operations(rank, size, count, failures);
  if (argc > 1 && std::strcmp(argv[1], "starts") == 0) start_some(rank, size, failures);
  if (argc > 1 && std::strcmp(argv[1], "odd") == 0) odd_to_tell();
  if (argc > 1 && std::strcmp(argv[1], "kill_pending") == 0) kill_pending(rank);
  if (argc > 1 && std::strcmp(argv[1], "kill") == 0) {
    if (rank == 1) std::raise(SIGKILL);
    for (;;) all_operations(rank, size, 1000, failures);
  }
  if (argc > 3 && std::strcmp(argv[1], "mismatch") == 0) {
    mismatch(argv[2], rank, std::atoi(argv[3]));
  }
  if (rank == 0 && library_is_there()) {
    std::printf("planned %llu native %llu\n",
                static_cast<unsigned long long>(espalier_query_count("planned")),
                static_cast<unsigned long long>(espalier_query_count("native")));
  }
  return failures.exit_code();
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "mixed-threads") == 0) {
    const char* rank = std::getenv("PMI_RANK");
    if (rank == nullptr) rank = std::getenv("OMPI_COMM_WORLD_RANK");
    int provided = 0;
    MPI_Init_thread(&argc, &argv,
                    std::atoi(rank) % 2 == 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  } else {
    MPI_Init(&argc, &argv);
  }
  const int code = espalier::mpi_test::run(argc, argv);
  if (argc > 1 && std::strcmp(argv[1], "past-us") == 0) {
    PMPI_Finalize();  // as some Fortran interfaces do
    return code;
  }
  MPI_Finalize();
  return code;
}
