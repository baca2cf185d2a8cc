#include "mpi/neighbourhood.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "mpi/returned_errors.hpp"

namespace espalier::mpi {

using schedule::NeighbourGraph;

namespace {

int size_of(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return size;
}

/// A grid as MPI_Cart_get tells it.
struct Grid {
  std::vector<int> dims, periods;

  explicit Grid(MPI_Comm comm) {
    int dimensions = 0;
    PMPI_Cartdim_get(comm, &dimensions);
    dims.resize(static_cast<std::size_t>(dimensions));
    periods.resize(dims.size());
    std::vector<int> coordinates(dims.size());
    PMPI_Cart_get(comm, dimensions, dims.data(), periods.data(), coordinates.data());
  }
  /// The last dimension counts fastest.
  [[nodiscard]] std::vector<Rank> neighbours_of(int rank) const {
    std::vector<Rank> found(2 * dims.size());
    int stride = 1;
    for (std::size_t d = dims.size(); d-- > 0; stride *= dims[d]) {
      const int at = rank / stride % dims[d];
      for (const int step : {-1, 1}) {
        const bool is_outside = at + step < 0 || at + step >= dims[d];
        const int other = (at + step + dims[d]) % dims[d];
        found[2 * d + (step > 0 ? 1 : 0)] = is_outside && periods[d] == 0
                                                ? kNoRank
                                                : static_cast<Rank>(rank + (other - at) * stride);
      }
    }
    return found;
  }
};

}  // namespace

Neighbourhood::Neighbourhood(MPI_Comm comm) : comm_(comm) {
  const ReturnedErrors returned(comm_);
  own_ = own_neighbours_of(comm_);
}

void Neighbourhood::take(NeighbourGraph graph) {
  if (schedule::is_consistent(graph)) {
    graph_ = std::make_shared<const NeighbourGraph>(std::move(graph));
  } else {
    refuse();
  }
}

void Neighbourhood::tell_alone() {
  const ReturnedErrors returned(comm_);
  if (own_.topology == MPI_CART) return tell_grid();
  if (own_.topology == MPI_GRAPH) return tell_graph();
  refuse();
}

void Neighbourhood::tell_grid() {
  const Grid grid(comm_);
  const int size = size_of(comm_);
  if (4 * static_cast<std::int64_t>(grid.dims.size()) * size > kMostEntries) return refuse();
  NeighbourGraph graph;
  for (int rank = 0; rank < size; ++rank) graph.sources.add(grid.neighbours_of(rank));
  graph.destinations = graph.sources;
  take(std::move(graph));
}

void Neighbourhood::tell_graph() {
  int nodes = 0, entries = 0;
  PMPI_Graphdims_get(comm_, &nodes, &entries);
  if (nodes != size_of(comm_) || 2 * static_cast<std::int64_t>(entries) > kMostEntries) {
    return refuse();
  }
  std::vector<int> ends(static_cast<std::size_t>(nodes));
  // Open MPI refuses a null pointer also where there is no edge.
  std::vector<int> edges(static_cast<std::size_t>(std::max(1, entries)));
  const int code = PMPI_Graph_get(comm_, nodes, entries, ends.data(), edges.data());
  if (code != MPI_SUCCESS) return refuse();
  NeighbourGraph graph;
  int begin = 0;
  for (const int end : ends) {
    const std::vector<Rank> list(edges.begin() + begin, edges.begin() + end);
    graph.sources.add(list);
    begin = end;
  }
  graph.destinations = graph.sources;
  take(std::move(graph));
}

void Neighbourhood::exchange(const std::array<int, 2>& most) {
  const int size = size_of(comm_);
  const std::int64_t row = 2 + static_cast<std::int64_t>(most[0]) + most[1];
  if (row * size > kMostEntries) return refuse();
  std::vector<Rank> mine(static_cast<std::size_t>(row), kNoRank);
  std::vector<Rank> all(mine.size() * static_cast<std::size_t>(size));
  mine[0] = static_cast<Rank>(own_.sources.size());
  mine[1] = static_cast<Rank>(own_.destinations.size());
  const auto rest = std::copy(own_.sources.begin(), own_.sources.end(), mine.begin() + 2);
  std::copy(own_.destinations.begin(), own_.destinations.end(), rest);
  const ReturnedErrors returned(comm_);
  const int code = PMPI_Allgather(mine.data(), static_cast<int>(row), MPI_UINT32_T, all.data(),
                                  static_cast<int>(row), MPI_UINT32_T, comm_);
  if (code != MPI_SUCCESS) return refuse();
  NeighbourGraph graph;
  for (int rank = 0; rank < size; ++rank) {
    const Rank* const of = all.data() + rank * row;
    graph.sources.add({of + 2, of[0]});
    graph.destinations.add({of + 2 + of[0], of[1]});
  }
  take(std::move(graph));
}

}  // namespace espalier::mpi
