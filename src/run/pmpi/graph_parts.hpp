#pragma once

#include <cstdint>
#include <vector>

#include "mpi/mpi_api.hpp"
#include "profile/profile.hpp"

namespace espalier::pmpi {

/// What one process knows of a distributed graph, in integers that can be gathered: edges, or its
/// own adjacency if the program gave that.
struct GraphPart {
  bool is_sound = true;
  std::vector<int> edges;      ///< triples: from (-1: the process itself), to, weight
  std::vector<int> adjacency;  ///< indegree, sources, weights, outdegree, destinations, weights
};
/// Adds MPI_Dist_graph_create's arguments.
void add_edges(GraphPart& part, int n, const int* sources, const int* degrees,
               const int* destinations, const int* weights);
/// Adds MPI_Dist_graph_create_adjacent's arguments.
void add_adjacent(GraphPart& part, int indegree, const int* sources, const int* source_weights,
                  int outdegree, const int* destinations, const int* dest_weights);

struct GatheredGraph {
  int size = 0;
  bool is_sound = false;
  std::vector<profile::Pair> pairs;
  std::vector<std::vector<int>> adjacency;  ///< each process's GraphPart::adjacency
};
/// Gathers all parts. Collective. Not sound if any part is not, or `comm` is an intercommunicator.
[[nodiscard]] GatheredGraph gather_graph(MPI_Comm comm, const GraphPart& mine);

/// The neighbours of one node of a graph.
struct Adjacency {
  std::vector<int> sources, source_weights, destinations, dest_weights;
};
[[nodiscard]] Adjacency adjacency_of(const GatheredGraph& graph, int node);

[[nodiscard]] std::intptr_t address_of(const std::vector<int>& list);
/// The list, or, where the program has given none, what it gave instead (MPI_UNWEIGHTED).
[[nodiscard]] std::intptr_t weights_of(const std::vector<int>& list, std::intptr_t given);

}  // namespace espalier::pmpi
