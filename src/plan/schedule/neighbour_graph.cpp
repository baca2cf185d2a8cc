#include "schedule/neighbour_graph.hpp"

#include <algorithm>
#include <utility>

namespace espalier::schedule {
namespace {

using Pairs = std::vector<std::pair<Rank, Rank>>;  // from, to

/// All pairs in order; empty, too, if a neighbour does not exist.
/// @param is_from whether the lists belong to the senders
Pairs pairs_of(const NeighbourLists& lists, bool is_from, bool& exist) {
  Pairs pairs;
  for (Rank rank = 0; rank < lists.size(); ++rank) {
    for (const Rank other : lists.of(rank)) {
      if (other == kNoRank) continue;
      exist = exist && other < lists.size();
      pairs.push_back(is_from ? std::pair(rank, other) : std::pair(other, rank));
    }
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace

bool is_consistent(const NeighbourGraph& graph) {
  if (graph.sources.size() != graph.destinations.size()) return false;
  bool exist = true;
  const Pairs received = pairs_of(graph.sources, false, exist);
  return pairs_of(graph.destinations, true, exist) == received && exist;
}

bool has_repeated_pairs(const NeighbourGraph& graph) {
  bool exist = true;
  const Pairs pairs = pairs_of(graph.destinations, true, exist);
  return std::adjacent_find(pairs.begin(), pairs.end()) != pairs.end();
}

std::vector<std::uint32_t> blocks_sent_to(const NeighbourGraph& graph, Rank rank) {
  const auto sources = graph.sources.of(rank);
  std::vector<std::uint32_t> blocks;
  blocks.reserve(sources.size());
  for (std::size_t place = 0; place < sources.size(); ++place) {
    if (sources[place] == kNoRank) {
      blocks.push_back(kNoRank);
      continue;
    }
    const auto before = sources.first(place);
    auto left = std::count(before.begin(), before.end(), sources[place]);
    const auto sent = graph.destinations.of(sources[place]);
    std::uint32_t block = 0;
    while (sent[block] != rank || left-- > 0) ++block;
    blocks.push_back(block);
  }
  return blocks;
}

}  // namespace espalier::schedule
