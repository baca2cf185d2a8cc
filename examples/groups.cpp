// System-ranked groups: made in logarithmic time, without tables of ranks (docs/groups.md). With
// MPI and libespalier-group-mpich or -openmpi:
//   mpiexec -n 4 groups
#include <espalier/group.hpp>
#include <iostream>

namespace {

int run() {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  espalier::Groups groups(MPI_COMM_WORLD);
  espalier::Group even_or_odd = groups.all().split(rank % 2);
  std::vector<int> ranks{rank};
  even_or_odd.allreduce(ranks, espalier::sum);
  int wanted = 0;
  for (int r = rank % 2; r < size; r += 2) wanted += r;
  if (even_or_odd.rank() == 0) {
    std::cout << even_or_odd.size() << " processes, their ranks add up to " << ranks[0] << "\n";
  }
  const bool is_right = ranks[0] == wanted;
  even_or_odd.free();
  return is_right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int wrong = run();
  MPI_Finalize();
  return wrong;
}
