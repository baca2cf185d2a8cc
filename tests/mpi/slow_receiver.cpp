// A root that runs ahead of a late receiver, which progresses MPI all the while: its memory must
// not fill with messages it has not asked for. Three ranks: 0 broadcasts to 1, 2 holds 1 up.
#include <unistd.h>

#include <vector>

#include "mpi/harness.hpp"

namespace espalier::mpi_test {
namespace {

constexpr int kBytes = 1 << 20;
constexpr int kCalls = 200;
constexpr long kMostKiB = 48 * 1024;

long resident_kib() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  long pages = 0, resident = 0;
  if (file != nullptr) {
    if (std::fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
    std::fclose(file);
  }
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

int run() {
  Failures failures;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm two = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &two);
  std::vector<char> data(kBytes, static_cast<char>(rank));
  if (rank < 2) {
    MPI_Bcast(data.data(), kBytes, MPI_CHAR, 0, two);  // connections, hidden communicator
    failures.expect(last_was_planned(), "native: " + last_text());
  }
  MPI_Barrier(MPI_COMM_WORLD);
  int go = 0;
  if (rank == 2) {
    sleep(2);
    MPI_Send(&go, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  }
  if (rank == 1) {
    const long before = resident_kib();
    MPI_Recv(&go, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const long more = resident_kib() - before;
    std::printf("the late receiver holds %ld KiB more\n", more);
    failures.expect(more < kMostKiB, "too much memory");
  }
  if (rank < 2) {
    for (int i = 0; i < kCalls; ++i) {
      if (rank == 0) data[kBytes - 1] = static_cast<char>(i);
      MPI_Bcast(data.data(), kBytes, MPI_CHAR, 0, two);
      failures.expect(data[kBytes - 1] == static_cast<char>(i), "wrong data");
    }
    MPI_Comm_free(&two);
  }
  return failures.everywhere() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int code = espalier::mpi_test::run();
  MPI_Finalize();
  return code;
}
