#include "mpi/own_neighbours.hpp"

namespace espalier::mpi {
namespace {

std::vector<Rank> as_ranks(const std::vector<int>& found) {
  std::vector<Rank> ranks;
  ranks.reserve(found.size());
  for (const int rank : found) ranks.push_back(rank < 0 ? kNoRank : static_cast<Rank>(rank));
  return ranks;
}

std::vector<int> in_grid(MPI_Comm comm) {
  int dimensions = 0;
  PMPI_Cartdim_get(comm, &dimensions);
  std::vector<int> ranks;
  for (int d = 0; d < dimensions; ++d) {
    int below = MPI_PROC_NULL, above = MPI_PROC_NULL;
    PMPI_Cart_shift(comm, d, 1, &below, &above);
    ranks.push_back(below);
    ranks.push_back(above);
  }
  return ranks;
}

std::vector<int> in_graph(MPI_Comm comm) {
  int rank = 0, count = 0;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Graph_neighbors_count(comm, rank, &count);
  std::vector<int> ranks(static_cast<std::size_t>(count));
  PMPI_Graph_neighbors(comm, rank, count, ranks.data());
  return ranks;
}

}  // namespace

OwnNeighbours own_neighbours_of(MPI_Comm comm) {
  OwnNeighbours own;
  PMPI_Topo_test(comm, &own.topology);
  if (own.topology == MPI_CART || own.topology == MPI_GRAPH) {
    own.sources = as_ranks(own.topology == MPI_CART ? in_grid(comm) : in_graph(comm));
    own.destinations = own.sources;
  } else if (own.topology == MPI_DIST_GRAPH) {
    int in = 0, out = 0, weighted = 0;
    PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    std::vector<int> from(static_cast<std::size_t>(in)), to(static_cast<std::size_t>(out));
    std::vector<int> in_weights(from.size()), out_weights(to.size());
    PMPI_Dist_graph_neighbors(comm, in, from.data(), in_weights.data(), out, to.data(),
                              out_weights.data());
    own.sources = as_ranks(from);
    own.destinations = as_ranks(to);
  }
  return own;
}

}  // namespace espalier::mpi
