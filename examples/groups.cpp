// System-ranked groups in an MPI program (docs/groups.md), one thing after the other: split, reduce
// and broadcast with and without waiting, messages by rank, ranks by key, a communicator for a
// library that wants one.
//
//   export PKG_CONFIG_PATH=PREFIX/lib/pkgconfig
//   G=$(pkg-config --cflags --libs espalier-group-mpich)
//   g++ -std=c++20 groups.cpp $G -Wl,-rpath,PREFIX/lib
//   mpiexec.mpich -n 6 ./a.out
//
// Every rank checks what it got; the last line counts what was wrong.
#include <cstdio>
#include <cstring>
#include <espalier/group.hpp>
#include <vector>

namespace {

int wrong = 0;

void expect(bool right, const char* what) {
  if (right) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  ++wrong;
}

/// Ranks of one parity: the sum of what they are, and the same while something else is done.
void sums(const espalier::Group& half, int rank, int size) {
  long all = 0;
  for (int other = rank % 2; other < size; other += 2) all += other;

  std::vector<long> sum{rank}, later{rank};
  half.allreduce(sum, espalier::sum);
  expect(sum[0] == all, "a sum");

  espalier::GroupRequest request = half.iallreduce(later, [](long a, long b) { return a + b; });
  long work = 0;
  while (!request.test()) ++work;  // test() also makes progress
  expect(later[0] == all, "a sum in the background");

  std::vector<long> largest{rank};
  half.ireduce(largest.data(), 1, MPI_LONG, MPI_MAX, /*root=*/0).wait();
  if (half.rank() == 0) {
    expect(largest[0] == (size - 1) - (size - 1 - rank) % 2, "a maximum by MPI's own operation");
  }
}

/// From any root; the group's ranks are the system's choice, so a root says who it is.
void broadcasts(const espalier::Group& half, int rank) {
  const espalier::GroupRank last = half.size() - 1;
  std::vector<int> data(100'000, half.rank() == last ? rank : -1);
  half.broadcast(data, last);
  expect(data.front() == data.back() && data.front() >= 0, "a broadcast");
}

/// A ring: each one tells the next where it is in MPI_COMM_WORLD.
void ring(const espalier::Group& half, int rank) {
  half.send((half.rank() + 1) % half.size(), std::vector<int>{rank});
  const espalier::GroupParcel parcel = half.receive((half.rank() + half.size() - 1) % half.size());
  int neighbour = -1;
  std::memcpy(&neighbour, parcel.data.data(), sizeof neighbour);
  expect(neighbour % 2 == rank % 2, "a message");
  half.barrier();  // nobody leaves while others are still looking for their neighbours
}

/// Where the order matters: ranks by key, here backwards, and a communicator with these ranks.
void in_order(const espalier::Group& half, int rank, int size) {
  espalier::Group backwards = half.ranked_by(static_cast<std::uint64_t>(size - rank));
  MPI_Comm comm = MPI_COMM_NULL;
  expect(backwards.to_communicator(&comm) == MPI_SUCCESS, "a communicator");
  int place = -1, first = -1;
  MPI_Comm_rank(comm, &place);
  expect(place == static_cast<int>(backwards.rank()), "a rank of the communicator");
  first = rank;
  MPI_Bcast(&first, 1, MPI_INT, 0, comm);
  expect(first == (size - 1) - (size - 1 - rank) % 2, "the one with the least key");
  MPI_Comm_free(&comm);
  backwards.free();
}

/// Many at once: all are begun before any is waited for, the last one first.
void many(const espalier::Group& world, int rank) {
  std::vector<espalier::NewGroup> making;
  for (int i = 0; i < 100; ++i) making.push_back(world.ienroll((rank + i) % 3 != 0));
  for (int i = 99; i >= 0; --i) {
    espalier::Group group = making[static_cast<std::size_t>(i)].wait();
    expect(group.member() == ((rank + i) % 3 != 0), "a member");
    group.free();
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  {
    espalier::Groups groups(MPI_COMM_WORLD);  // one hidden communicator for all of them
    espalier::Group half = groups.all().split(rank % 2);
    sums(half, rank, size);
    broadcasts(half, rank);
    ring(half, rank);
    in_order(half, rank, size);
    half.free();
    many(groups.all(), rank);

    std::vector<int> all_wrong{wrong};
    groups.all().allreduce(all_wrong, espalier::sum);
    wrong = all_wrong[0];
  }  // all groups end here, before MPI does
  if (rank == 0) std::printf("wrong: %d\n", wrong);
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
