// A rank that waits in shared memory answers others' messages, though a message of a later call
// lies on the hidden communicator already. Three ranks.
#include <vector>

#include "mpi/harness.hpp"

namespace espalier::mpi_test {
namespace {

struct Pair {
  double value;
  int index;
};

/// Rank 2 wants a long message of rank 0 before it comes to the first reduction, in which rank 0
/// waits for it. Rank 1 is through with that one, and has sent its part of the second, which goes
/// by messages: its type has gaps.
bool are_right(int rank) {
  constexpr int kLong = 1 << 20, kDoubles = 128, kPairs = 86;
  std::vector<int> data(kLong, rank == 0 ? 5 : 0);
  std::vector<double> numbers(kDoubles, 1.0), sums(kDoubles);
  std::vector<Pair> pairs(kPairs, {static_cast<double>(rank), rank}), largest(kPairs);
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 0) MPI_Isend(data.data(), kLong, MPI_INT, 2, 0, MPI_COMM_WORLD, &request);
  if (rank == 2) {
    for (const double begin = MPI_Wtime(); MPI_Wtime() - begin < 2e-3;) {
    }
    MPI_Recv(data.data(), kLong, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Reduce(numbers.data(), sums.data(), kDoubles, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(pairs.data(), largest.data(), kPairs, MPI_DOUBLE_INT, MPI_MAXLOC, 0, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 2) return data.front() == 5 && data.back() == 5;
  return rank != 0 || (sums.front() == 3.0 && sums.back() == 3.0 && largest.back().index == 2);
}

/// Rank 2 wants a long message of rank 0 before it comes to a broadcast, in which rank 0 waits for
/// it: until it has read.
bool are_right_in_a_broadcast(int rank) {
  constexpr int kLong = 1 << 20, kInts = 1 << 18;
  std::vector<int> data(kLong, rank == 0 ? 5 : 0), told(kInts, rank == 0 ? 6 : 0);
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 0) MPI_Isend(data.data(), kLong, MPI_INT, 2, 0, MPI_COMM_WORLD, &request);
  if (rank == 2) {
    for (const double begin = MPI_Wtime(); MPI_Wtime() - begin < 2e-3;) {
    }
    MPI_Recv(data.data(), kLong, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Bcast(told.data(), kInts, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  const bool is_told = told.front() == 6 && told.back() == 6;
  return is_told && (rank != 2 || (data.front() == 5 && data.back() == 5));
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  using namespace espalier::mpi_test;
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  bool is_right = true;
  for (int i = 0; i < 20; ++i) is_right &= are_right(rank) && are_right_in_a_broadcast(rank);
  MPI_Finalize();
  return is_right ? 0 : 1;
}
