// IS (NAS-95-020): integer keys are sorted, for real: sizes of buckets (allreduce), how many go to
// whom (alltoall), the keys (alltoallv). Each process ends with a range of keys; none may be lost
// or in the wrong range.
#include <algorithm>

#include "skeleton.hpp"

namespace {

using npb::Count;
constexpr Count kLogKeys[5] = {16, 20, 23, 25, 27};
constexpr Count kEleven[5] = {11, 11, 11, 11, 11};
constexpr Count kOperations = 12;
constexpr int kBuckets = 1024;

std::uint32_t next(std::uint64_t& state) {
  state = state * 6364136223846793005U + 1442695040888963407U;
  return static_cast<std::uint32_t>(state >> 44);  // 20 bits
}

}  // namespace

int main(int argc, char** argv) {
  npb::Job job("is", argc, argv);
  const auto size = static_cast<std::size_t>(job.size());
  const Count all = Count{1} << job.of(kLogKeys);
  const Count mine = all / size + (static_cast<Count>(job.rank()) < all % size ? 1 : 0);
  std::vector<std::uint32_t> keys(mine), sorted(mine), came;
  std::uint64_t state = 1 + static_cast<std::uint64_t>(job.rank());
  const Count steps = job.steps(kEleven);
  for (Count step = 0; step < steps; ++step) {
    for (std::uint32_t& key : keys) key = next(state);
    job.compute(all * kOperations / size);
    std::vector<int> here(kBuckets), everywhere(kBuckets);
    for (const std::uint32_t key : keys) ++here[key >> 10];
    MPI_Allreduce(here.data(), everywhere.data(), kBuckets, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    // Whole buckets, in order, to each process until it has its share.
    std::vector<int> owner(kBuckets), sends(size), receives(size), from(size), to(size);
    Count before = 0;
    for (int b = 0; b < kBuckets; ++b) {
      owner[static_cast<std::size_t>(b)] =
          static_cast<int>(std::min<Count>(size - 1, before * size / all));
      before += static_cast<Count>(everywhere[static_cast<std::size_t>(b)]);
      sends[static_cast<std::size_t>(owner[static_cast<std::size_t>(b)])] +=
          here[static_cast<std::size_t>(b)];
    }
    job.expect(before == all);
    MPI_Alltoall(sends.data(), 1, MPI_INT, receives.data(), 1, MPI_INT, MPI_COMM_WORLD);
    for (std::size_t i = 1; i < size; ++i) {
      to[i] = to[i - 1] + sends[i - 1];
      from[i] = from[i - 1] + receives[i - 1];
    }
    std::vector<int> at = to;
    for (const std::uint32_t key : keys) {
      sorted[static_cast<std::size_t>(at[static_cast<std::size_t>(owner[key >> 10])]++)] = key;
    }
    came.resize(static_cast<std::size_t>(from[size - 1] + receives[size - 1]));
    MPI_Alltoallv(sorted.data(), sends.data(), to.data(), MPI_UINT32_T, came.data(),
                  receives.data(), from.data(), MPI_UINT32_T, MPI_COMM_WORLD);
    job.expect(std::all_of(came.begin(), came.end(),
                           [&](std::uint32_t key) { return owner[key >> 10] == job.rank(); }));
  }
  int count = static_cast<int>(came.size()), total = 0;
  MPI_Reduce(&count, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  job.expect(job.rank() != 0 || static_cast<Count>(total) == all);
  return job.finish();
}
