#pragma once

#include <vector>

#include "base/random.hpp"
#include "schedule/neighbour_graph.hpp"

namespace espalier::testing_support {

/// A graph as programs may give it: lists in any order, ranks without neighbours, some that are
/// their own, and MPI_PROC_NULL between them.
/// @param repeats whether a rank may have a neighbour several times
inline schedule::NeighbourGraph random_graph(Random& rng, Rank size, bool repeats) {
  const std::uint64_t percent = rng.below(101);
  std::vector<std::vector<Rank>> to(size), from(size);
  for (Rank a = 0; a < size; ++a) {
    for (Rank b = 0; b < size; ++b) {
      for (int again = 0; again < (repeats ? 3 : 1); ++again) {
        if (!rng.chance(static_cast<int>(again == 0 ? percent : 15))) break;
        to[a].push_back(b);
        from[b].push_back(a);
      }
    }
  }
  schedule::NeighbourGraph graph;
  for (Rank r = 0; r < size; ++r) {
    for (std::vector<Rank>* list : {&to[r], &from[r]}) {
      while (rng.chance(20)) list->push_back(kNoRank);
      rng.shuffle(std::span(*list));
    }
    graph.sources.add(from[r]);
    graph.destinations.add(to[r]);
  }
  return graph;
}

}  // namespace espalier::testing_support
