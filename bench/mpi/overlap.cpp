// How much of a non-blocking collective is hidden behind computation. On the lab, natively and
// along plans:
//
//   espalier lab up "site:2(10ms,100Mbit/s,name=wan) machine:1|2(250us,1Gbit/s,name=lan) proc:4"
//   espalier lab run -- overlap.mpich
//   espalier lab run --espalier --env ESPALIER_NONBLOCKING=1 --env ESPALIER_FORCE=1 --
//   overlap.mpich
//   espalier lab run --espalier --env ESPALIER_NONBLOCKING=measured -- overlap.mpich --settled
//
// With --settled calls are compared before they are measured.
// Computation is a timed sleep: ranks that share cores cannot compute all at once. It calls
// MPI_Test each millisecond, or not at all (--silent). For each call the median of several
// rounds:
//
//   operation bytes alone_ms computed_ms together_ms hidden_percent
//
// hidden = 1 - (together - computed) / alone, of the slowest rank. Ranks begin together by the
// clock of the computer, which the hosts of a lab share.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

namespace {

constexpr int kRounds = 7;

struct Call {
  std::string name;
  std::function<void()> blocking;  // makes what plans need
  std::function<void(MPI_Request*)> start;
};

double slowest(double seconds) {
  double all = 0;
  PMPI_Allreduce(&seconds, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

void sleep_for(double seconds) {
  timespec left{};
  left.tv_sec = static_cast<time_t>(seconds);
  left.tv_nsec = static_cast<long>((seconds - static_cast<double>(left.tv_sec)) * 1e9);
  nanosleep(&left, nullptr);
}

double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// All ranks go on at the same time, which is returned: a barrier would let some go on earlier.
double begin_together() {
  constexpr double kLongEnough = 60e-3;
  const double begin = slowest(now()) + kLongEnough;
  sleep_for(std::max(0.0, begin - now()));
  return begin;
}

double alone(const Call& call) {
  const double begin = begin_together();
  MPI_Request request = MPI_REQUEST_NULL;
  call.start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return slowest(now() - begin);
}

/// The time beyond the computation.
double exposed(const Call& call, double computed, bool is_silent) {
  const double begin = begin_together();
  MPI_Request request = MPI_REQUEST_NULL;
  call.start(&request);
  if (is_silent) {
    sleep_for(computed);
  } else {
    for (int is_done = 0; now() - begin < computed;) {
      sleep_for(std::min(1e-3, std::max(0.0, computed - (now() - begin))));
      if (is_done == 0) MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    }
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return slowest(now() - begin - computed);
}

double median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + kRounds / 2, times.end());
  return times[kRounds / 2];
}

/// Lets native and planned calls take turns, and the ranks agree on what is kept.
void settle(const Call& call) {
  for (int i = 0; i < 24; ++i) alone(call);
  for (int i = 0; i < 8; ++i) call.blocking();
}

void measure(const Call& call, int rank, bool is_silent, bool is_settled) {
  for (int i = 0; i < 3; ++i) call.blocking();
  if (is_settled) settle(call);
  std::vector<double> times;
  for (int i = 0; i < 2 + kRounds; ++i) {
    const double one = alone(call);
    if (i >= 2) times.push_back(one);
  }
  const double by_itself = median(times);
  const double computed = 1.5 * by_itself + 5e-3;
  times.clear();
  for (int i = 0; i < kRounds; ++i) times.push_back(exposed(call, computed, is_silent));
  const double beyond = median(times);
  if (rank != 0) return;
  std::printf("%s %.2f %.2f %.2f %.1f\n", call.name.c_str(), by_itself * 1e3, computed * 1e3,
              (computed + beyond) * 1e3, 100 * (1 - beyond / by_itself));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool is_silent = false, is_settled = false;
  for (int i = 1; i < argc; ++i) {
    is_silent |= std::strcmp(argv[i], "--silent") == 0;
    is_settled |= std::strcmp(argv[i], "--settled") == 0;
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  constexpr int kLong = 128 * 1024 / 8, kData = 1024 * 1024;
  std::vector<double> in(kLong, rank), out(kLong);
  std::vector<char> data(kData);
  const MPI_Comm world = MPI_COMM_WORLD;
  const auto allreduce = [&](int count) {
    return Call{
        "iallreduce " + std::to_string(8 * count),
        [&, count] { MPI_Allreduce(in.data(), out.data(), count, MPI_DOUBLE, MPI_SUM, world); },
        [&, count](MPI_Request* request) {
          MPI_Iallreduce(in.data(), out.data(), count, MPI_DOUBLE, MPI_SUM, world, request);
        }};
  };
  const Call broadcast{
      "ibcast " + std::to_string(kData), [&] { MPI_Bcast(data.data(), kData, MPI_CHAR, 0, world); },
      [&](MPI_Request* request) { MPI_Ibcast(data.data(), kData, MPI_CHAR, 0, world, request); }};
  for (const Call& call : {allreduce(1), allreduce(kLong), broadcast}) {
    measure(call, rank, is_silent, is_settled);
  }
  MPI_Finalize();
  return 0;
}
