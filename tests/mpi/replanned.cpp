// Links that change while a trial is in its long run: plans are made anew at an agreed call, and
// nothing of the old ones is used after that (AddressSanitizer would see it), whichever call it is.
//
// The clock is the program's own, so that a busy machine changes nothing: only its reductions take
// time. The links of the machine that is described are found to be no far ones.
#include <ctime>

#include "mpi/harness.hpp"

namespace {

long long nanoseconds = 1'000'000'000;
long long reduction = 0;  // nanoseconds that one takes

}  // namespace

extern "C" int clock_gettime(clockid_t, timespec* now) noexcept {
  ++nanoseconds;
  now->tv_sec = nanoseconds / 1'000'000'000;
  now->tv_nsec = nanoseconds % 1'000'000'000;
  return 0;
}

namespace espalier::mpi_test {
namespace {

constexpr int kRounds = 9, kCalls = 90;
constexpr long long kAsPredicted = 2'600'000;  // two of them: 5.2 ms

void add_slowly(void* in, void* sum, int* count, MPI_Datatype*) {
  nanoseconds += reduction;
  for (int i = 0; i < *count; ++i) static_cast<int*>(sum)[i] += static_cast<int*>(in)[i];
}

int run() {
  Failures failures;
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Op add = MPI_OP_NULL;
  MPI_Op_create(add_slowly, 1, &add);
  for (int round = 0; round < kRounds; ++round) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int call = 0; call < kCalls; ++call) {
      reduction = call < 36 + 2 * round ? kAsPredicted : 4 * kAsPredicted;
      const int mine = rank + call;
      int sum = 0;
      MPI_Allreduce(&mine, &sum, 1, MPI_INT, add, comm);
      failures.expect(sum == size * call + size * (size - 1) / 2,
                      "round " + std::to_string(round) + ", call " + std::to_string(call));
    }
    MPI_Comm_free(&comm);
  }
  MPI_Op_free(&add);
  return failures.exit_code();
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(argc, argv, espalier::mpi_test::run);
}
