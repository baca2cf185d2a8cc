#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace espalier::schedule {

/// A list of neighbours for each rank, one behind the other.
struct NeighbourLists {
  std::vector<std::uint32_t> first{0};  ///< [rank] where its list begins; one entry more at the end
  std::vector<Rank> ranks;

  [[nodiscard]] Rank size() const { return static_cast<Rank>(first.size() - 1); }
  [[nodiscard]] std::span<const Rank> of(Rank rank) const {
    return std::span(ranks).subspan(first[rank], first[rank + 1] - first[rank]);
  }
  /// The list of the next rank.
  void add(std::span<const Rank> list) {
    ranks.insert(ranks.end(), list.begin(), list.end());
    first.push_back(static_cast<std::uint32_t>(ranks.size()));
  }
  friend bool operator==(const NeighbourLists&, const NeighbourLists&) = default;
};

/// Who sends to whom in neighbourhood collectives, in MPI's order. kNoRank is MPI_PROC_NULL: its
/// block is neither read nor written. A rank may be its own neighbour, and one several times.
struct NeighbourGraph {
  NeighbourLists sources, destinations;

  [[nodiscard]] Rank size() const { return sources.size(); }
  friend bool operator==(const NeighbourGraph&, const NeighbourGraph&) = default;
};

/// Whether all neighbours exist, and each rank is as often a source of its destinations as they are
/// destinations of it. MPI demands it of programs. O(E log E).
[[nodiscard]] bool is_consistent(const NeighbourGraph& graph);

/// Whether some rank has another one (or itself) several times as destination. O(E log E).
[[nodiscard]] bool has_repeated_pairs(const NeighbourGraph& graph);

/// For each place among the sources of a rank: as which of its blocks the source sends it. The k-th
/// of several blocks from one source is the k-th that it sends to this rank. kNoRank for kNoRank.
/// @pre is_consistent(graph)
[[nodiscard]] std::vector<std::uint32_t> blocks_sent_to(const NeighbourGraph& graph, Rank rank);

}  // namespace espalier::schedule
