// Collectives of espalier::mpi::Communicator, and which plan a call takes. With MPI:
//   mpiexec -n 4 communicator
// Linked with the runtime, calls run along plans where these gain; without it, as MPI does them.
#include <espalier/communicator.hpp>
#include <iostream>
#include <numeric>

namespace {

int run() {
  using espalier::mpi::Communicator;
  const Communicator world(MPI_COMM_WORLD);
  int wrong = 0;

  std::vector<double> parameters(1000, world.rank() == 0 ? 3.0 : 0.0);
  world.broadcast(parameters, 0);
  wrong += parameters.back() == 3.0 ? 0 : 1;

  std::vector<long> total{world.rank() + 1L};
  world.allreduce(total, MPI_SUM);
  wrong += total[0] == world.size() * (world.size() + 1L) / 2 ? 0 : 1;

  // A scatterv: rank r gets r + 1 elements of what rank 0 has.
  std::vector<int> counts(static_cast<std::size_t>(world.size()));
  std::iota(counts.begin(), counts.end(), 1);
  std::vector<int> all(static_cast<std::size_t>(std::accumulate(counts.begin(), counts.end(), 0)));
  std::iota(all.begin(), all.end(), 0);
  std::vector<int> mine(static_cast<std::size_t>(world.rank()) + 1);
  world.scatterv(all, {counts}, mine, 0);
  wrong += mine.front() == world.rank() * (world.rank() + 1) / 2 ? 0 : 1;

  const auto plan = world.plan_of({.operation = espalier::Operation::Broadcast, .count = 1 << 20});
  if (world.rank() == 0) {
    std::cout << "a broadcast of 1 MiB: " << plan.name << " (" << plan.why << ")\n";
    if (plan.predicted) {
      std::cout << "predicted " << espalier::to_microseconds(*plan.predicted) << " us\n";
    }
  }
  std::vector<int> found{wrong};
  world.allreduce(found, MPI_SUM);
  return found[0];
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int wrong = run();
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
