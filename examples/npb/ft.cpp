// The communication of FT (NAS-95-020): a transposition (alltoall) and a checksum (reduce) a step.
#include "skeleton.hpp"

namespace {

using npb::Count;
constexpr Count kPoints[5] = {1U << 18, 1U << 19, 1U << 23, 1U << 25, 1U << 27},
                kSteps[5] = {6, 6, 6, 20, 20};
constexpr Count kFlops = 150;

}  // namespace

int main(int argc, char** argv) {
  npb::Job job("ft", argc, argv);
  const auto size = static_cast<std::size_t>(job.size());
  const Count block =
      job.of(kPoints) / (static_cast<Count>(size) * size);  // complex numbers for each process
  std::vector<double> out(2 * block * size), in(out.size());
  const Count steps = job.steps(kSteps);
  for (Count step = 0; step < steps; ++step) {
    job.compute(job.of(kPoints) * kFlops / size);
    for (std::size_t to = 0; to < size; ++to) {
      for (Count i = 0; i < 2 * block; ++i) {
        out[to * 2 * block + i] =
            static_cast<double>(static_cast<Count>(job.rank()) * 1000 + to + step + i);
      }
    }
    const int count = static_cast<int>(2 * block);
    MPI_Alltoall(out.data(), count, MPI_DOUBLE, in.data(), count, MPI_DOUBLE, MPI_COMM_WORLD);
    bool right = true;
    for (std::size_t from = 0; from < size; ++from) {
      for (Count i = 0; i < 2 * block; ++i) {
        right = right &&
                in[from * 2 * block + i] ==
                    static_cast<double>(from * 1000 + static_cast<Count>(job.rank()) + step + i);
      }
    }
    job.expect(right);
    const double mine[2] = {1, job.rank() + 1.0};
    double sum[2] = {};
    MPI_Reduce(mine, sum, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    job.expect(job.rank() != 0 || sum[1] == 0.5 * job.size() * (job.size() + 1));
  }
  return job.finish();
}
