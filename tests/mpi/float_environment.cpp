// A program's floating-point environment belongs to the program: other rounding modes on other
// ranks lead to the same plans, and planning raises none of the exceptions that programs trap or
// report at their end.
//
//   float_environment [--calls N]
#include <cfenv>
#include <numeric>
#include <vector>

#include "mpi/harness.hpp"

namespace espalier::mpi_test {
namespace {

constexpr int kTold = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW;

std::string names_of(int raised) {
  std::string names;
  if ((raised & FE_INVALID) != 0) names += " invalid";
  if ((raised & FE_DIVBYZERO) != 0) names += " division by zero";
  if ((raised & FE_OVERFLOW) != 0) names += " overflow";
  if ((raised & FE_UNDERFLOW) != 0) names += " underflow";
  return names;
}

class FloatEnvironment {
 public:
  FloatEnvironment() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }

  int run(int calls) {
    constexpr int kModes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    const int mode = kModes[rank_ % 4];
    std::fesetround(mode);
    std::feclearexcept(FE_ALL_EXCEPT);
    MPI_Comm backwards = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank_, &backwards);
    for (int i = 0; i < calls; ++i) {
      // Lengths of many classes, also just beside each other.
      const int count = 1 + (i * i * 37 + (i % 3)) % 3000;
      call(i % 7, count, i % size_, i % 2 == 0 ? MPI_COMM_WORLD : backwards);
      planned_ += last_was_planned() ? 1 : 0;
      const int raised = std::fetestexcept(kTold);
      failures_.expect(raised == 0, "call " + std::to_string(i) + " raised" + names_of(raised));
      std::feclearexcept(FE_ALL_EXCEPT);
      failures_.expect(std::fegetround() == mode, "another rounding mode after a call");
    }
    MPI_Comm_free(&backwards);
    failures_.expect(planned_ > 0, "no call was planned");
    return failures_.exit_code();
  }

 private:
  void call(int which, int count, int root, MPI_Comm comm) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    const auto n = static_cast<std::size_t>(count);
    const auto all = n * static_cast<std::size_t>(size_);
    std::vector<int> mine(all, rank + 1), got(all);
    const int sum = size_ * (size_ + 1) / 2;
    switch (which) {
      case 0:
        MPI_Bcast(mine.data(), count, MPI_INT, root, comm);
        return expect(mine[n - 1] == root + 1, "broadcast");
      case 1:
        MPI_Allreduce(mine.data(), got.data(), count, MPI_INT, MPI_SUM, comm);
        return expect(got[n - 1] == sum, "allreduce");
      case 2:
        MPI_Reduce(mine.data(), got.data(), count, MPI_INT, MPI_SUM, root, comm);
        return expect(rank != root || got[n - 1] == sum, "reduce");
      case 3:
        MPI_Allgather(mine.data(), count, MPI_INT, got.data(), count, MPI_INT, comm);
        return expect(got[all - 1] == size_, "allgather");
      case 4:
        MPI_Alltoall(mine.data(), count, MPI_INT, got.data(), count, MPI_INT, comm);
        return expect(got[all - 1] == size_, "alltoall");
      case 5:
        MPI_Reduce_scatter_block(mine.data(), got.data(), count, MPI_INT, MPI_SUM, comm);
        return expect(got[n - 1] == sum, "reduce-scatter");
      default:
        MPI_Scan(mine.data(), got.data(), count, MPI_INT, MPI_SUM, comm);
        return expect(got[n - 1] == (rank + 1) * (rank + 2) / 2, "scan");
    }
  }
  void expect(bool holds, const char* what) { failures_.expect(holds, what); }

  int rank_ = 0, size_ = 1, planned_ = 0;
  Failures failures_;
};

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(argc, argv, [](int count, char** words) {
    const auto calls = espalier::mpi_test::option(count, words, "--calls", 35);
    return espalier::mpi_test::FloatEnvironment().run(static_cast<int>(calls));
  });
}
