// A root that runs ahead of a late receiver, which progresses MPI all the while: its memory must
// not fill with messages it has not asked for. Three ranks: 0 broadcasts and scatters to 1, 2 holds
// 1 up.
#include <unistd.h>

#include <array>
#include <vector>

#include "mpi/harness.hpp"
#include "support/long_run.hpp"

namespace espalier::mpi_test {
namespace {

constexpr long kMostKiB = 24 * 1024;

struct Load {
  const char* name;
  int bytes;
  int calls;
};
constexpr Load kLong{"long calls", 1 << 20, 200};
constexpr Load kShort{"short calls", 2000, 20000};  // 39 MiB

long resident_kib() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  long pages = 0, resident = 0;
  if (file != nullptr) {
    if (std::fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
    std::fclose(file);
  }
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/// send_all() on rank 0 and receive_all() on rank 1, so many seconds late, or once rank 0 is done.
/// @return KiB that rank 1 held before it asked for anything
template <typename SendAll, typename ReceiveAll>
long held_by_the_late(int rank, double seconds, SendAll send_all, ReceiveAll receive_all) {
  MPI_Barrier(MPI_COMM_WORLD);
  int go = 0;
  long more = 0;
  if (rank == 0) {
    send_all();
    MPI_Send(&go, 1, MPI_INT, 2, 1, MPI_COMM_WORLD);
  }
  if (rank == 2) {
    int is_done = 0;
    for (const double begin = MPI_Wtime(); is_done == 0 && MPI_Wtime() - begin < seconds;) {
      usleep(10000);
      MPI_Iprobe(0, 1, MPI_COMM_WORLD, &is_done, MPI_STATUS_IGNORE);
    }
    MPI_Send(&go, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(&go, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank == 1) {
    const long before = resident_kib();
    MPI_Recv(&go, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    more = resident_kib() - before;
    receive_all();
  }
  return more;
}

/// A call that moves the data from rank 0 to rank 1.
using Call = void (*)(std::vector<char>& data, int rank, MPI_Comm two);

void broadcast(std::vector<char>& data, int /*rank*/, MPI_Comm two) {
  MPI_Bcast(data.data(), static_cast<int>(data.size()), MPI_CHAR, 0, two);
}

void scatter_irregularly(std::vector<char>& data, int rank, MPI_Comm two) {
  const int bytes = static_cast<int>(data.size());
  const std::vector<int> counts{0, bytes}, places{0, 0};
  MPI_Scatterv(data.data(), counts.data(), places.data(), MPI_CHAR, data.data(),
               rank == 1 ? bytes : 0, MPI_CHAR, 0, two);
}

void scatter(std::vector<char>& data, int rank, MPI_Comm two) {
  const int bytes = static_cast<int>(data.size());
  std::vector<char> both(rank == 0 ? 2 * data.size() : 0, data.back());
  MPI_Scatter(both.data(), bytes, MPI_CHAR, data.data(), bytes, MPI_CHAR, 0, two);
}

/// Elements, blocks and roles in turn: one bound holds for all of them together.
void mixed(std::vector<char>& data, int rank, MPI_Comm two) {
  static int turn = 0;
  constexpr std::array<Call, 3> kCalls{broadcast, scatter_irregularly, scatter};
  kCalls[static_cast<std::size_t>(turn++ % 3)](data, rank, two);
}

long held_by_calls(const Load& load, Call call, int rank, MPI_Comm two, Failures& failures) {
  std::vector<char> data(static_cast<std::size_t>(load.bytes), static_cast<char>(rank));
  if (rank < 2) {  // connections, hidden communicator
    call(data, rank, two);
    failures.expect(last_was_planned(), "native: " + last_text());
  }
  const auto calls = [&] {
    for (int i = 0; i < load.calls; ++i) {
      if (rank == 0) data.back() = static_cast<char>(i);
      call(data, rank, two);
      failures.expect(data.back() == static_cast<char>(i), "wrong data");
    }
  };
  return held_by_the_late(rank, 1, calls, calls);
}

/// The same messages, sent as they come: what our holding back spares. (Without it the test could
/// not fail.)
long held_by_sends(const Load& load, int rank) {
  std::vector<char> data(static_cast<std::size_t>(load.bytes));
  return held_by_the_late(
      rank, 60,
      [&] {
        for (int i = 0; i < load.calls; ++i) {
          PMPI_Send(data.data(), load.bytes, MPI_CHAR, 1, 7, MPI_COMM_WORLD);
        }
      },
      [&] {
        for (int i = 0; i < load.calls; ++i) {
          PMPI_Recv(data.data(), load.bytes, MPI_CHAR, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
      });
}

int run() {
  Failures failures;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm two = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &two);
  for (const Load& load : {kLong, kShort}) {
    for (const Call call : {broadcast, scatter_irregularly, mixed}) {
      // In the short form: many short calls of all kinds mixed, long ones of each kind by itself.
      if (!is_long_run() && (call == mixed) != (load.bytes == kShort.bytes)) continue;
      const long held = held_by_calls(load, call, rank, two, failures);
      if (rank == 1) {
        std::printf("%s, %s: the late receiver holds %ld KiB more\n", load.name,
                    call == broadcast ? "broadcast"
                    : call == mixed   ? "mixed"
                                      : "scatterv",
                    held);
      }
      failures.expect(held < kMostKiB, "too much memory");
    }
  }
  const long sent = held_by_sends(kShort, rank);
  if (rank == 1) {
    std::printf("plain sends: %ld KiB\n", sent);
    failures.expect(sent > kMostKiB, "plain sends are held back too: the test shows nothing");
  }
  if (two != MPI_COMM_NULL) MPI_Comm_free(&two);
  return failures.exit_code();
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(argc, argv, espalier::mpi_test::run);
}
