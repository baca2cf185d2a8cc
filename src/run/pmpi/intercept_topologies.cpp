// Virtual topologies with reorder = true, if ESPALIER_REORDER is set: the processes are numbered
// anew first, to fit the machine, and MPI then makes the topology on these numbers as they are.
#include <vector>

#include "pmpi/functions.hpp"
#include "pmpi/graph_parts.hpp"
#include "pmpi/make_communicator.hpp"

namespace espalier::pmpi {
namespace {

using Pairs = std::vector<profile::Pair>;

/// What one exchange along an edge is taken for: nobody says how much it will be.
constexpr std::uint64_t kReorderBytes = 8192;

/// The same on all ranks, null or not: nothing may be gathered before that is known.
mpi::Engine* reordering_engine(std::intptr_t comm, std::intptr_t reorder) {
  mpi::Engine* const engine = the_engine.load(std::memory_order_acquire);
  if (engine == nullptr || as<int>(reorder) == 0) return nullptr;
  return without_bugs([&] { return engine->reorders(as<MPI_Comm>(comm)); }) ? engine : nullptr;
}

/// How many nodes a grid has; 0: MPI will refuse it.
std::int64_t grid_nodes(int dimensions, const int* dims, const int* periods) {
  std::int64_t nodes = dimensions > 0 && dims != nullptr && periods != nullptr ? 1 : 0;
  if (nodes == 0) return nodes;
  for (int d = 0; d < dimensions; ++d) {
    if (dims[d] < 1 || nodes > INT32_MAX / dims[d]) return 0;
    nodes *= dims[d];
  }
  return nodes;
}

/// Nodes of a grid, the last dimension fastest, each with its neighbours.
void grid_pairs(int dimensions, const int* dims, const int* periods, std::int64_t nodes,
                Pairs& pairs) {
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
}

bool graph_pairs(int nodes, const int* index, const int* edges, Pairs& pairs) {
  if (index == nullptr || edges == nullptr) return false;
  for (int node = 0, at = 0; node < nodes; ++node) {
    if (index[node] < at) return false;
    for (; at < index[node]; ++at) {
      if (edges[at] < 0 || edges[at] >= nodes) return false;
      pairs.push_back({static_cast<Rank>(node), static_cast<Rank>(edges[at]), 1, kReorderBytes});
    }
  }
  return true;
}

/// Whether a topology of so many nodes fits the communicator.
bool has_room(std::intptr_t comm, std::int64_t nodes) {
  int size = 0;
  return PMPI_Comm_size(as<MPI_Comm>(comm), &size) == MPI_SUCCESS && nodes > 0 && nodes <= size;
}

/// Makes a topology on a communicator that is reordered to fit its graph; or as the program said.
/// @param graph_of called only where topologies are reordered; may be collective
/// @param make takes the communicator, reorder, and the graph: nullptr if nothing was reordered
template <typename GraphOf, typename Make>
int make_topology(std::intptr_t comm, std::intptr_t reorder, std::intptr_t newcomm,
                  GraphOf graph_of, Make make) {
  if (mpi::Engine* const engine = reordering_engine(comm, reorder)) {
    GatheredGraph graph;
    MPI_Comm on = MPI_COMM_NULL;
    without_bugs([&] {
      graph = graph_of();
      on = engine->reordered(as<MPI_Comm>(comm), graph.size,
                             graph.is_sound ? &graph.pairs : nullptr);
    });
    if (on != MPI_COMM_NULL) {
      const int code = make(in_register(on), std::intptr_t{0}, &graph);
      PMPI_Comm_free(&on);
      return code;
    }
  }
  return make_communicator(comm, newcomm, [&] {
    return make(comm, reorder, static_cast<const GatheredGraph*>(nullptr));
  });
}

}  // namespace

int intercept_cart_create(std::intptr_t comm, std::intptr_t ndims, std::intptr_t dims,
                          std::intptr_t periods, std::intptr_t reorder, std::intptr_t newcomm) {
  const auto graph_of = [&] {
    GatheredGraph graph;
    const std::int64_t nodes =
        grid_nodes(as<int>(ndims), as<const int*>(dims), as<const int*>(periods));
    graph.is_sound = has_room(comm, nodes);
    if (graph.is_sound) {
      grid_pairs(as<int>(ndims), as<const int*>(dims), as<const int*>(periods), nodes, graph.pairs);
    }
    graph.size = static_cast<int>(nodes);
    return graph;
  };
  return make_topology(comm, reorder, newcomm, graph_of, [=](auto on, auto again, const auto*) {
    return next_cart_create(on, ndims, dims, periods, again, newcomm);
  });
}

int intercept_graph_create(std::intptr_t comm, std::intptr_t nnodes, std::intptr_t index,
                           std::intptr_t edges, std::intptr_t reorder, std::intptr_t newcomm) {
  const auto graph_of = [&] {
    GatheredGraph graph;
    graph.size = as<int>(nnodes);
    graph.is_sound = has_room(comm, graph.size) && graph_pairs(graph.size, as<const int*>(index),
                                                               as<const int*>(edges), graph.pairs);
    return graph;
  };
  return make_topology(comm, reorder, newcomm, graph_of, [=](auto on, auto again, const auto*) {
    return next_graph_create(on, nnodes, index, edges, again, newcomm);
  });
}

int intercept_dist_graph_create(std::intptr_t comm, std::intptr_t n, std::intptr_t sources,
                                std::intptr_t degrees, std::intptr_t destinations,
                                std::intptr_t weights, std::intptr_t info, std::intptr_t reorder,
                                std::intptr_t newcomm) {
  const auto graph_of = [&] {
    GraphPart mine;
    add_edges(mine, as<int>(n), as<const int*>(sources), as<const int*>(degrees),
              as<const int*>(destinations), as<const int*>(weights));
    return gather_graph(as<MPI_Comm>(comm), mine);
  };
  // Any process may name any edge, and nodes are ranks of the new communicator.
  return make_topology(comm, reorder, newcomm, graph_of, [=](auto on, auto again, const auto*) {
    return next_dist_graph_create(on, n, sources, degrees, destinations, weights, info, again,
                                  newcomm);
  });
}

int intercept_dist_graph_create_adjacent(std::intptr_t comm, std::intptr_t indegree,
                                         std::intptr_t sources, std::intptr_t sourceweights,
                                         std::intptr_t outdegree, std::intptr_t destinations,
                                         std::intptr_t destweights, std::intptr_t info,
                                         std::intptr_t reorder, std::intptr_t newcomm) {
  const auto graph_of = [&] {
    GraphPart mine;
    add_adjacent(mine, as<int>(indegree), as<const int*>(sources), as<const int*>(sourceweights),
                 as<int>(outdegree), as<const int*>(destinations), as<const int*>(destweights));
    return gather_graph(as<MPI_Comm>(comm), mine);
  };
  // Who becomes node r says what the process r said.
  return make_topology(
      comm, reorder, newcomm, graph_of, [=](auto on, auto again, const auto* graph) {
        if (graph == nullptr) {
          return next_dist_graph_create_adjacent(on, indegree, sources, sourceweights, outdegree,
                                                 destinations, destweights, info, again, newcomm);
        }
        int me = 0;
        PMPI_Comm_rank(as<MPI_Comm>(on), &me);
        const Adjacency node = adjacency_of(*graph, me);
        return next_dist_graph_create_adjacent(
            on, static_cast<std::intptr_t>(node.sources.size()), address_of(node.sources),
            weights_of(node.source_weights, sourceweights),
            static_cast<std::intptr_t>(node.destinations.size()), address_of(node.destinations),
            weights_of(node.dest_weights, destweights), info, again, newcomm);
      });
}

}  // namespace espalier::pmpi
