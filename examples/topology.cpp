// Who is near whom: a communicator for each site, and the machine as a value to plan with. With
// MPI, and with libespalier-core for the latter:
//   ESPALIER_MACHINE="site:2(10ms) proc:2(1us)" mpiexec -n 4 topology
#include <espalier/communicator.hpp>
#include <espalier/plan.hpp>
#include <iostream>

namespace {

int run() {
  const espalier::mpi::Communicator world(MPI_COMM_WORLD);
  espalier::mpi::discover();  // collective; nothing to do if the machine is known
  const espalier::mpi::Topology topology = world.topology();
  if (world.rank() == 0) std::cout << topology.levels << " levels\n";
  const espalier::mpi::Communicator site = world.cluster(1);
  if (site && site.rank() == 0) {
    std::cout << "rank " << world.rank() << " speaks for " << site.size() << "\n";
  }
  const auto json = espalier::mpi::machine_json(MPI_COMM_WORLD);
  if (!json) return topology.status == espalier::mpi::Status::Ok ? 1 : 0;
  const auto machine = espalier::parse_machine(*json);
  if (!machine) {
    std::cerr << machine.error() << "\n";
    return 1;
  }
  const auto bound = espalier::lower_bound(*machine, {.operation = espalier::Operation::Allreduce,
                                                      .count = 1 << 17,
                                                      .element = espalier::Bytes{8}});
  if (world.rank() == 0)
    std::cout << "no allreduce of 1 MiB is over before " << bound->time << "\n";
  return machine->size() == static_cast<espalier::Rank>(world.size()) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int wrong = run();
  MPI_Finalize();
  return wrong;
}
