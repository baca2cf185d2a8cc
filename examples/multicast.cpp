// Multicasts: from one rank to some others; several at the same time. With MPI:
//   mpiexec -n 4 multicast
#include <espalier/communicator.hpp>
#include <iostream>

namespace {

/// Everybody's row to those behind it, and to nobody else.
int run() {
  espalier::mpi::Communicator world(MPI_COMM_WORLD);
  const int size = world.size(), rank = world.rank();

  std::vector<int> note(3, rank == 0 ? 42 : 0);
  world.multicast(note, 0, {size - 1});
  int wrong = note[0] == (rank == 0 || rank == size - 1 ? 42 : 0) ? 0 : 1;

  std::vector<std::vector<double>> rows(static_cast<std::size_t>(size));
  std::vector<espalier::mpi::Multicast> several;
  for (int root = 0; root < size; ++root) {
    auto& row = rows[static_cast<std::size_t>(root)];
    row.assign(500, rank == root ? root : -1);
    std::vector<int> behind;
    for (int r = root + 1; r < size; ++r) behind.push_back(r);
    several.push_back(espalier::mpi::multicast_of(row, root, behind));
  }
  world.multicasts(several);
  for (int root = 0; root < size; ++root) {
    const double wanted = root <= rank ? root : -1;
    wrong += rows[static_cast<std::size_t>(root)].back() == wanted ? 0 : 1;
  }
  std::vector<int> found{wrong};
  world.allreduce(found, MPI_SUM);
  if (rank == 0) std::cout << found[0] << " wrong\n";
  return found[0];
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int wrong = run();
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
