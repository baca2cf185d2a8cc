// Exits with 0 if the results are right and the calls ran along plans.
#include <espalier/communicator.hpp>
#include <iostream>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int code = 0;
  {
    espalier::mpi::Communicator world(MPI_COMM_WORLD);
    std::vector<int> sum{world.rank()};
    world.allreduce(sum, MPI_SUM);
    std::vector<int> note{world.rank() == 0 ? 5 : 0};
    world.multicast(note, 0, {world.size() - 1});
    const bool is_member = world.rank() == 0 || world.rank() == world.size() - 1;
    const auto plan = world.plan_of({.operation = espalier::Operation::Broadcast, .count = 1000});
    if (world.rank() == 0) std::cout << plan.name << " on " << world.topology().levels << "\n";
    const bool is_right =
        sum[0] == world.size() * (world.size() - 1) / 2 && note[0] == (is_member ? 5 : 0);
    code = is_right && plan.planned ? 0 : 1;
  }
  MPI_Finalize();
  return code;
}
