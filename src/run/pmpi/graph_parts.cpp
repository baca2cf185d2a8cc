#include "pmpi/graph_parts.hpp"

#include <algorithm>

namespace espalier::pmpi {
namespace {

/// What one exchange along an edge of the mean weight is taken for.
constexpr std::uint64_t kBytes = 8192;

/// Whether there may be so many neighbours.
bool are_there(int degree, const int* others) {
  return degree == 0 || (degree > 0 && others != nullptr);
}

bool is_list(const int* weights) {
  return weights != nullptr && weights != MPI_UNWEIGHTED && weights != MPI_WEIGHTS_EMPTY;
}

void append_side(GraphPart& part, int degree, const int* others, const int* weights,
                 bool outwards) {
  part.adjacency.push_back(degree);
  if (degree > 0) part.adjacency.insert(part.adjacency.end(), others, others + degree);
  for (int i = 0; i < degree; ++i) {
    const int weight = is_list(weights) ? weights[i] : 1;
    part.adjacency.push_back(weight);
    // Each edge is named at both ends: here the one that sends counts.
    if (outwards) part.edges.insert(part.edges.end(), {-1, others[i], weight});
  }
}

/// All processes' lists of integers, by process.
std::vector<std::vector<int>> gathered(MPI_Comm comm, int size, const std::vector<int>& mine) {
  std::vector<int> lengths(static_cast<std::size_t>(size)), at(lengths.size());
  const int length = static_cast<int>(mine.size());
  PMPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, comm);
  for (std::size_t i = 1; i < at.size(); ++i) at[i] = at[i - 1] + lengths[i - 1];
  std::vector<int> all(static_cast<std::size_t>(at.back() + lengths.back()));
  PMPI_Allgatherv(mine.data(), length, MPI_INT, all.data(), lengths.data(), at.data(), MPI_INT,
                  comm);
  std::vector<std::vector<int>> lists;
  for (std::size_t i = 0; i < at.size(); ++i) {
    lists.emplace_back(all.begin() + at[i], all.begin() + at[i] + lengths[i]);
  }
  return lists;
}

}  // namespace

void add_edges(GraphPart& part, int n, const int* sources, const int* degrees,
               const int* destinations, const int* weights) {
  part.is_sound = n == 0 || (n > 0 && sources != nullptr && degrees != nullptr);
  for (int i = 0, at = 0; i < n && part.is_sound; ++i) {
    part.is_sound = are_there(degrees[i], destinations);
    for (int left = part.is_sound ? degrees[i] : 0; left > 0; --left, ++at) {
      part.edges.insert(part.edges.end(),
                        {sources[i], destinations[at], is_list(weights) ? weights[at] : 1});
    }
  }
}

void add_adjacent(GraphPart& part, int indegree, const int* sources, const int* source_weights,
                  int outdegree, const int* destinations, const int* dest_weights) {
  part.is_sound = are_there(indegree, sources) && are_there(outdegree, destinations);
  if (!part.is_sound) return;
  append_side(part, indegree, sources, source_weights, false);
  append_side(part, outdegree, destinations, dest_weights, true);
}

GatheredGraph gather_graph(MPI_Comm comm, const GraphPart& mine) {
  GatheredGraph graph;
  int inter = 1, all_sound = 0;
  if (comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter != 0) {
    return graph;
  }
  PMPI_Comm_size(comm, &graph.size);
  const int sound = mine.is_sound ? 1 : 0;
  PMPI_Allreduce(&sound, &all_sound, 1, MPI_INT, MPI_MIN, comm);
  if (all_sound == 0) return graph;
  graph.is_sound = true;
  const auto edges = gathered(comm, graph.size, mine.edges);
  graph.adjacency = gathered(comm, graph.size, mine.adjacency);
  std::uint64_t sum = 0, count = 0;
  for (const auto& list : edges) {
    for (std::size_t i = 0; i + 2 < list.size(); i += 3, ++count) {
      sum += static_cast<std::uint64_t>(std::max(0, list[i + 2]));
    }
  }
  const std::uint64_t mean = std::max<std::uint64_t>(1, count == 0 ? 1 : sum / count);
  for (std::size_t process = 0; process < edges.size(); ++process) {
    const auto& list = edges[process];
    for (std::size_t i = 0; i + 2 < list.size(); i += 3) {
      const int from = list[i] == -1 ? static_cast<int>(process) : list[i];
      const int to = list[i + 1];
      if (from < 0 || to < 0 || from >= graph.size || to >= graph.size) {
        graph.is_sound = false;
        continue;
      }
      const auto weight = static_cast<std::uint64_t>(std::max(0, list[i + 2]));
      graph.pairs.push_back(
          {static_cast<Rank>(from), static_cast<Rank>(to), 1, kBytes * weight / mean});
    }
  }
  return graph;
}

Adjacency adjacency_of(const GatheredGraph& graph, int node) {
  Adjacency result;
  const std::vector<int>& list = graph.adjacency[static_cast<std::size_t>(node)];
  auto at = list.begin();
  const auto take = [&at](int count, std::vector<int>& into) {
    into.assign(at, at + count);
    at += count;
  };
  const int in = *at++;
  take(in, result.sources);
  take(in, result.source_weights);
  const int out = *at++;
  take(out, result.destinations);
  take(out, result.dest_weights);
  return result;
}

std::intptr_t address_of(const std::vector<int>& list) {
  static constexpr int kNothing = 0;  // MPI wants an address even for nothing
  return reinterpret_cast<std::intptr_t>(list.empty() ? &kNothing : list.data());
}

std::intptr_t weights_of(const std::vector<int>& list, std::intptr_t given) {
  // A node without edges may say MPI_WEIGHTS_EMPTY, others a list: only MPI_UNWEIGHTED holds for
  // all.
  if (given == reinterpret_cast<std::intptr_t>(MPI_UNWEIGHTED)) return given;
  return list.empty() ? reinterpret_cast<std::intptr_t>(MPI_WEIGHTS_EMPTY) : address_of(list);
}

}  // namespace espalier::pmpi
