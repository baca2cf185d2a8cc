// Virtual topologies with reorder = true, if ESPALIER_REORDER is set: the processes are numbered
// anew first, to fit the machine, and MPI then makes the topology on these numbers as they are.
#include <vector>

#include "pmpi/functions.hpp"
#include "pmpi/graph_parts.hpp"
#include "pmpi/intercept.hpp"

namespace espalier::pmpi {
namespace {

using Pairs = std::vector<profile::Pair>;

/// What one exchange along an edge is taken for: nobody says how much it will be.
constexpr std::uint64_t kReorderBytes = 8192;

/// The same on all ranks, null or not: nothing may be gathered before that is known.
mpi::Engine* reordering_engine(std::intptr_t comm, std::intptr_t reorder) try {
  mpi::Engine* engine = the_engine.load(std::memory_order_acquire);
  if (engine == nullptr || as<int>(reorder) == 0) return nullptr;
  return engine->reorders(as<MPI_Comm>(comm)) ? engine : nullptr;
} catch (const std::exception& bug) {
  die(bug.what());
}

/// Nodes of a grid, the last dimension fastest, each with its neighbours; false: MPI will refuse
/// it.
bool grid_pairs(int dimensions, const int* dims, const int* periods, std::int64_t& nodes,
                Pairs& pairs) {
  nodes = 1;
  for (int d = 0; d < dimensions; ++d) {
    if (dims[d] < 1 || nodes > INT32_MAX / dims[d]) return false;
    nodes *= dims[d];
  }
  for (std::int64_t node = 0; node < nodes; ++node) {
    std::int64_t stride = nodes;
    for (int d = 0; d < dimensions; ++d) {
      const std::int64_t before = stride;
      stride /= dims[d];
      const std::int64_t at = node % before / stride;
      const bool is_last = at + 1 == dims[d];
      if (is_last && periods[d] == 0) continue;
      const std::int64_t next = is_last ? node - at * stride : node + stride;
      if (next != node) {
        pairs.push_back({static_cast<Rank>(node), static_cast<Rank>(next), 1, kReorderBytes});
      }
    }
  }
  return true;
}

bool graph_pairs(int nodes, const int* index, const int* edges, Pairs& pairs) {
  for (int node = 0, at = 0; node < nodes; ++node) {
    if (index[node] < at) return false;
    for (; at < index[node]; ++at) {
      if (edges[at] < 0 || edges[at] >= nodes) return false;
      pairs.push_back({static_cast<Rank>(node), static_cast<Rank>(edges[at]), 1, kReorderBytes});
    }
  }
  return true;
}

/// Makes the topology on a reordered communicator; nothing if it is not reordered.
template <typename Make>
bool make_on(MPI_Comm reordered, Make make, int& code) {
  if (reordered == MPI_COMM_NULL) return false;
  code = make(reordered);
  PMPI_Comm_free(&reordered);
  return true;
}

/// A communicator as an argument of a wrapper.
template <typename Comm>
std::intptr_t argument(Comm comm) {
  if constexpr (std::is_pointer_v<Comm>) {
    return reinterpret_cast<std::intptr_t>(comm);
  } else {
    return static_cast<std::intptr_t>(comm);
  }
}

}  // namespace

int intercept_cart_create(std::intptr_t comm, std::intptr_t ndims, std::intptr_t dims,
                          std::intptr_t periods, std::intptr_t reorder, std::intptr_t newcomm) {
  mpi::Engine* engine = reordering_engine(comm, reorder);
  int code = MPI_SUCCESS;
  if (engine != nullptr) try {
      Pairs pairs;
      std::int64_t nodes = 0;
      int size = 0;
      const bool sound =
          as<int>(ndims) > 0 && PMPI_Comm_size(as<MPI_Comm>(comm), &size) == MPI_SUCCESS &&
          grid_pairs(as<int>(ndims), as<const int*>(dims), as<const int*>(periods), nodes, pairs) &&
          nodes <= size;
      if (make_on(
              engine->reordered(as<MPI_Comm>(comm), static_cast<int>(nodes),
                                sound ? &pairs : nullptr),
              [&](MPI_Comm on) {
                return next_cart_create(argument(on), ndims, dims, periods, 0, newcomm);
              },
              code)) {
        return code;
      }
    } catch (const std::exception& bug) {
      die(bug.what());
    }
  return next_cart_create(comm, ndims, dims, periods, reorder, newcomm);
}

int intercept_graph_create(std::intptr_t comm, std::intptr_t nnodes, std::intptr_t index,
                           std::intptr_t edges, std::intptr_t reorder, std::intptr_t newcomm) {
  mpi::Engine* engine = reordering_engine(comm, reorder);
  int code = MPI_SUCCESS;
  if (engine != nullptr) try {
      Pairs pairs;
      int size = 0;
      const bool sound =
          PMPI_Comm_size(as<MPI_Comm>(comm), &size) == MPI_SUCCESS && as<int>(nnodes) > 0 &&
          as<int>(nnodes) <= size &&
          graph_pairs(as<int>(nnodes), as<const int*>(index), as<const int*>(edges), pairs);
      if (make_on(
              engine->reordered(as<MPI_Comm>(comm), as<int>(nnodes), sound ? &pairs : nullptr),
              [&](MPI_Comm on) {
                return next_graph_create(argument(on), nnodes, index, edges, 0, newcomm);
              },
              code)) {
        return code;
      }
    } catch (const std::exception& bug) {
      die(bug.what());
    }
  return next_graph_create(comm, nnodes, index, edges, reorder, newcomm);
}

int intercept_dist_graph_create(std::intptr_t comm, std::intptr_t n, std::intptr_t sources,
                                std::intptr_t degrees, std::intptr_t destinations,
                                std::intptr_t weights, std::intptr_t info, std::intptr_t reorder,
                                std::intptr_t newcomm) {
  mpi::Engine* engine = reordering_engine(comm, reorder);
  int code = MPI_SUCCESS;
  if (engine != nullptr) try {
      GraphPart mine;
      add_edges(mine, as<int>(n), as<const int*>(sources), as<const int*>(degrees),
                as<const int*>(destinations), as<const int*>(weights));
      const GatheredGraph all = gather_graph(as<MPI_Comm>(comm), mine);
      // Any process may name any edge, and nodes are ranks of the new communicator.
      if (make_on(
              engine->reordered(as<MPI_Comm>(comm), all.size, all.is_sound ? &all.pairs : nullptr),
              [&](MPI_Comm on) {
                return next_dist_graph_create(argument(on), n, sources, degrees, destinations,
                                              weights, info, 0, newcomm);
              },
              code)) {
        return code;
      }
    } catch (const std::exception& bug) {
      die(bug.what());
    }
  return next_dist_graph_create(comm, n, sources, degrees, destinations, weights, info, reorder,
                                newcomm);
}

int intercept_dist_graph_create_adjacent(std::intptr_t comm, std::intptr_t indegree,
                                         std::intptr_t sources, std::intptr_t sourceweights,
                                         std::intptr_t outdegree, std::intptr_t destinations,
                                         std::intptr_t destweights, std::intptr_t info,
                                         std::intptr_t reorder, std::intptr_t newcomm) {
  mpi::Engine* engine = reordering_engine(comm, reorder);
  int code = MPI_SUCCESS;
  if (engine != nullptr) try {
      GraphPart mine;
      add_adjacent(mine, as<int>(indegree), as<const int*>(sources), as<const int*>(sourceweights),
                   as<int>(outdegree), as<const int*>(destinations), as<const int*>(destweights));
      const GatheredGraph all = gather_graph(as<MPI_Comm>(comm), mine);
      // Who becomes node r says what the process r said.
      if (make_on(
              engine->reordered(as<MPI_Comm>(comm), all.size, all.is_sound ? &all.pairs : nullptr),
              [&](MPI_Comm on) {
                int me = 0;
                PMPI_Comm_rank(on, &me);
                const Adjacency node = adjacency_of(all, me);
                return next_dist_graph_create_adjacent(
                    argument(on), static_cast<std::intptr_t>(node.sources.size()),
                    address_of(node.sources), weights_of(node.source_weights, sourceweights),
                    static_cast<std::intptr_t>(node.destinations.size()),
                    address_of(node.destinations), weights_of(node.dest_weights, destweights), info,
                    0, newcomm);
              },
              code)) {
        return code;
      }
    } catch (const std::exception& bug) {
      die(bug.what());
    }
  return next_dist_graph_create_adjacent(comm, indegree, sources, sourceweights, outdegree,
                                         destinations, destweights, info, reorder, newcomm);
}

}  // namespace espalier::pmpi
