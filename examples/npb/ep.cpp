// EP (NAS-95-020): pairs of random numbers, counted by where they fall; three reductions at the
// end. A sample of the pairs is made for real, the rest is computation.
#include "skeleton.hpp"

namespace {

using npb::Count;
constexpr Count kLogPairs[5] = {24, 25, 28, 30, 32};
constexpr Count kFlops = 25;
constexpr Count kSample = 1000;

}  // namespace

int main(int argc, char** argv) {
  npb::Job job("ep", argc, argv);
  job.compute((Count{1} << job.of(kLogPairs)) * kFlops / static_cast<Count>(job.size()));
  double here[10] = {}, everywhere[10] = {};
  std::uint64_t state = 1 + static_cast<std::uint64_t>(job.rank());
  for (Count i = 0; i < kSample; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    here[(state >> 60) % 10] += 1;
  }
  for (int i = 0; i < 3; ++i)
    MPI_Allreduce(here, everywhere, 10, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  double sum = 0;
  for (const double count : everywhere) sum += count;
  job.expect(sum == static_cast<double>(kSample) * job.size());
  return job.finish();
}
