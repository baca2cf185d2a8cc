// Every collective of espalier::mpi::Communicator, once. With MPI:
//   mpiexec -n 4 collectives
#include <espalier/communicator.hpp>
#include <iostream>
#include <numeric>

namespace {

using espalier::mpi::Communicator;
using Numbers = std::vector<int>;

Numbers from(int first, int count) {
  Numbers numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

/// What all have in `mine` becomes one number.
int check_reductions(const Communicator& comm) {
  const int rank = comm.rank(), size = comm.size();
  const Numbers mine{rank, 1};
  Numbers out(2);
  int wrong = 0;
  comm.reduce(mine, out, MPI_MAX, 0);
  wrong += rank != 0 || out == Numbers{size - 1, 1} ? 0 : 1;
  comm.scan(mine, out, MPI_SUM);
  wrong += out == Numbers{rank * (rank + 1) / 2, rank + 1} ? 0 : 1;
  comm.exscan(mine, out, MPI_SUM);
  wrong += rank == 0 || out[1] == rank ? 0 : 1;
  Numbers block(1);
  comm.reduce_scatter(from(0, size), block, MPI_SUM);
  wrong += block[0] == rank * size ? 0 : 1;
  Numbers counts(static_cast<std::size_t>(size), 0);  // all of it to the last
  counts.back() = size;
  Numbers all(rank == size - 1 ? static_cast<std::size_t>(size) : 0);
  comm.reduce_scatter(from(0, size), all, counts, MPI_SUM);
  wrong += all.empty() || all.back() == (size - 1) * size ? 0 : 1;
  return wrong;
}

int check_blocks(const Communicator& comm) {
  const int rank = comm.rank(), size = comm.size();
  int wrong = 0;
  Numbers all(static_cast<std::size_t>(size)), one(1);
  comm.gather(Numbers{rank}, all, 0);
  wrong += rank != 0 || all == from(0, size) ? 0 : 1;
  comm.allgather(Numbers{rank}, all);
  wrong += all == from(0, size) ? 0 : 1;
  comm.scatter(from(100, size), one, 0);
  wrong += one[0] == 100 + rank ? 0 : 1;
  comm.alltoall(Numbers(all.size(), rank), all);
  wrong += all == from(0, size) ? 0 : 1;
  return wrong;
}

/// Rank r has r + 1 numbers.
int check_unequal_blocks(const Communicator& comm) {
  const int rank = comm.rank(), size = comm.size(), total = size * (size + 1) / 2;
  const Numbers counts = from(1, size), mine = from(rank * (rank + 1) / 2, rank + 1);
  int wrong = 0;
  Numbers all(static_cast<std::size_t>(total)), own(mine.size());
  comm.gatherv(mine, all, {counts}, 0);
  wrong += rank != 0 || all == from(0, total) ? 0 : 1;
  comm.allgatherv(mine, all, {counts});
  wrong += all == from(0, total) ? 0 : 1;
  comm.scatterv(all, {counts}, own, 0);
  wrong += own == mine ? 0 : 1;
  // Everybody gets r + 1 numbers from everybody, if r is its rank.
  const Numbers taken(counts.size(), rank + 1);
  Numbers found(counts.size() * mine.size());
  comm.alltoallv(all, {counts}, found, {taken});
  wrong += found.back() == mine.back() ? 0 : 1;
  Numbers here, there;  // in bytes
  for (int r = 0; r < size; ++r) {
    here.push_back(static_cast<int>(sizeof(int)) * r * (r + 1) / 2);
    there.push_back(static_cast<int>(sizeof(int)) * r * (rank + 1));
  }
  const std::vector<MPI_Datatype> types(counts.size(), MPI_INT);
  Numbers again(found.size());
  comm.alltoallw(all.data(), {counts, here}, types, again.data(), {taken, there}, types);
  wrong += again == found ? 0 : 1;
  return wrong;
}

int run() {
  const Communicator world(MPI_COMM_WORLD);
  const Communicator half = world.split(world.rank() % 2, world.rank());
  half.use_plans(false);  // these are left to the MPI library
  Numbers wrong{0};
  for (const Communicator* comm : {&world, &half}) {
    wrong[0] += check_reductions(*comm) + check_blocks(*comm) + check_unequal_blocks(*comm);
    comm->barrier();
  }
  world.allreduce(wrong, MPI_SUM);
  if (world.rank() == 0) std::cout << wrong[0] << " wrong\n";
  return wrong[0] == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int code = run();
  MPI_Finalize();
  return code;
}
