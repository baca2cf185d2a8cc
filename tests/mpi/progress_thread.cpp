// With ESPALIER_PROGRESS_THREAD=1 a rank that calls no MPI function passes a broadcast on: rank 1
// waits, without MPI, until rank 2 has what rank 0 sent after rank 1 had started the call. Along a
// chain, which goes through rank 1.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <thread>
#include <vector>

#include "harness.hpp"

namespace {

using espalier::mpi_test::Failures;

void tell(const std::string& file) { ::close(::open(file.c_str(), O_CREAT | O_WRONLY, 0600)); }

/// Whether somebody tells within a minute.
bool is_told(const std::string& file) {
  struct stat info {};
  for (int i = 0; i < 60000; ++i) {
    if (::stat(file.c_str(), &info) == 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

int run() {
  Failures failures;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::array<char, 64> folder{"/tmp/espalier-thread-XXXXXX"};
  if (rank == 0 && ::mkdtemp(folder.data()) == nullptr) folder[0] = 0;
  MPI_Bcast(folder.data(), static_cast<int>(folder.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
  constexpr int kCount = 500;
  for (int round = 0; round < 10 && failures.count() == 0; ++round) {
    const std::string file = std::string(folder.data()) + "/" + std::to_string(round);
    std::vector<int> data(kCount, rank == 0 ? round : -1);
    MPI_Bcast(data.data(), kCount, MPI_INT, 0, MPI_COMM_WORLD);
    std::fill(data.begin(), data.end(), rank == 0 ? 100 + round : -1);
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 0) failures.expect(is_told(file + ".started"), "rank 1 has started");
    MPI_Ibcast(data.data(), kCount, MPI_INT, 0, MPI_COMM_WORLD, &request);
    failures.expect(espalier::mpi_test::last_was_planned(), "the start is planned");
    if (rank == 1) {
      tell(file + ".started");
      failures.expect(is_told(file + ".ended"), "rank 2 has the data before rank 1 waits");
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 2) tell(file + ".ended");
    failures.expect(data == std::vector<int>(kCount, 100 + round), "the data are right");
  }
  int level = -1;
  PMPI_Query_thread(&level);
  failures.expect(level == MPI_THREAD_MULTIPLE, "MPI was asked for the highest level");
  MPI_Query_thread(&level);
  failures.expect(level == MPI_THREAD_FUNNELED, "the program hears of the level that it has");
  const int code = failures.exit_code();
  if (rank == 0) std::filesystem::remove_all(folder.data());
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  int has = -1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &has);
  int code = has == MPI_THREAD_FUNNELED ? 0 : 1;
  if (code != 0)
    std::fprintf(stderr, "FAILED: the program is told another level than it asked for\n");
  code |= run();
  MPI_Finalize();
  return code;
}
