#include "mpi/reordered.hpp"

#include "map/reorder.hpp"

namespace espalier::mpi {

MPI_Comm reordered(MPI_Comm comm, const MachineSearch::Placed& here, int nodes,
                   const std::vector<profile::Pair>* pairs) {
  int me = 0, size = 0;
  PMPI_Comm_rank(comm, &me);
  PMPI_Comm_size(comm, &size);
  int is_possible = pairs != nullptr && nodes <= size && here.machine != nullptr &&
                            here.ranks.size() == static_cast<std::size_t>(size)
                        ? 1
                        : 0;
  if (PMPI_Allreduce(MPI_IN_PLACE, &is_possible, 1, MPI_INT, MPI_MIN, comm) != MPI_SUCCESS ||
      is_possible == 0) {
    return MPI_COMM_NULL;
  }
  // One decides for all: by then it is known that all take what it says.
  std::vector<int> member(static_cast<std::size_t>(nodes));
  if (me == 0) {
    const auto order = map::reorder(*here.machine, here.ranks, static_cast<Rank>(nodes), *pairs);
    for (std::size_t n = 0; n < member.size(); ++n) member[n] = static_cast<int>(order[n]);
  }
  if (PMPI_Bcast(member.data(), nodes, MPI_INT, 0, comm) != MPI_SUCCESS) return MPI_COMM_NULL;
  int key = nodes + me;  // who is no node comes behind, in the old order
  for (int n = 0; n < nodes; ++n) {
    if (member[static_cast<std::size_t>(n)] == me) key = n;
  }
  MPI_Comm made = MPI_COMM_NULL;
  PMPI_Comm_split(comm, 0, key, &made);
  return made;
}

}  // namespace espalier::mpi
