// ESPALIER_REPRODUCIBLE: sums of floats have the bits of the documented order of the ranks
// (docs/reproducible.md), whatever the machine. The order is worked out here once more, from the
// document: a block of 2^k ranks is its left half combined with its right one.
#include <cstring>
#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "mpi/harness.hpp"

namespace espalier::mpi_test {
namespace {

/// What a call gives: of how many ranks (the first ones), of which elements.
enum class Call { Reduce, Allreduce, ReduceScatter, Scan, Exscan };

/// Ranks [first, first + width) as far as there are so many; width is a power of two.
template <typename Float>
Float block(const std::vector<Float>& all, int ranks, int count, int element, int first,
            int width) {
  if (width == 1) return all[static_cast<std::size_t>(first * count + element)];
  const int half = width / 2;
  const Float left = block(all, ranks, count, element, first, half);
  if (first + half >= ranks) return left;
  return left + block(all, ranks, count, element, first + half, half);
}

template <typename Float>
void one_case(Random& shared, std::uint64_t own, MPI_Datatype type, Failures& failures,
              const std::string& label) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int count = static_cast<int>(shared.below(shared.chance(10) ? 9000 : 40) + 1);
  const int root = static_cast<int>(shared.below(static_cast<std::uint64_t>(size)));
  const Call call = static_cast<Call>(shared.below(5));
  const bool in_place = shared.chance(30);
  Random mine(own);
  std::vector<Float> in(static_cast<std::size_t>(count)), out(in.size());
  // Of very different magnitudes, so that nearly every order has other bits.
  for (Float& x : in) {
    x = static_cast<Float>(static_cast<double>(mine.below(2000001)) - 1e6) /
        static_cast<Float>(1 + mine.below(1000003));
  }
  std::vector<Float> all(in.size() * static_cast<std::size_t>(size));
  PMPI_Allgather(in.data(), count, type, all.data(), count, type, MPI_COMM_WORLD);
  const bool has_out = call != Call::Reduce || rank == root;
  if (in_place && has_out) out = in;
  const void* from = in_place && has_out ? MPI_IN_PLACE : in.data();
  int ranks = size, first = 0, length = count;  // what the result must be
  switch (call) {
    case Call::Reduce:
      MPI_Reduce(from, out.data(), count, type, MPI_SUM, root, MPI_COMM_WORLD);
      if (rank != root) length = 0;
      break;
    case Call::Allreduce:
      MPI_Allreduce(from, out.data(), count, type, MPI_SUM, MPI_COMM_WORLD);
      break;
    case Call::ReduceScatter: {
      std::vector<int> counts(static_cast<std::size_t>(size), count / size);
      if (shared.chance(50)) {
        MPI_Reduce_scatter_block(from, out.data(), count / size, type, MPI_SUM, MPI_COMM_WORLD);
      } else {
        counts[static_cast<std::size_t>(root)] += count % size;
        MPI_Reduce_scatter(from, out.data(), counts.data(), type, MPI_SUM, MPI_COMM_WORLD);
      }
      length = counts[static_cast<std::size_t>(rank)];
      first = std::accumulate(counts.begin(), counts.begin() + rank, 0);
      break;
    }
    case Call::Scan:
      MPI_Scan(from, out.data(), count, type, MPI_SUM, MPI_COMM_WORLD);
      ranks = rank + 1;
      break;
    case Call::Exscan:
      MPI_Exscan(from, out.data(), count, type, MPI_SUM, MPI_COMM_WORLD);
      ranks = rank;
      if (rank == 0) length = 0;
  }
  failures.expect(last_was_planned() || size == 1, label + " was native: " + last_text());
  int width = 1;
  while (width < ranks) width *= 2;
  for (int i = 0; i < length; ++i) {
    const Float expected = block(all, ranks, count, first + i, 0, width);
    if (std::memcmp(&expected, &out[static_cast<std::size_t>(i)], sizeof expected) == 0) continue;
    failures.expect(false, label + ": other bits than in the reference order, by " + last_text());
    return;
  }
}

int run(int argc, char** argv) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Failures failures;
  const std::uint64_t first = option(argc, argv, "--seed", 1);
  for (std::uint64_t seed = first; seed < first + option(argc, argv, "--cases", 200); ++seed) {
    Random shared(seed);
    const std::string label = "--seed " + std::to_string(seed);
    const std::uint64_t own = seed * 1000 + static_cast<std::uint64_t>(rank);
    if (shared.chance(50)) {
      one_case<double>(shared, own, MPI_DOUBLE, failures, label);
    } else {
      one_case<float>(shared, own, MPI_FLOAT, failures, label);
    }
  }
  return failures.exit_code();
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(argc, argv, espalier::mpi_test::run);
}
