#pragma once

#include <vector>

#include "collective/participants.hpp"
#include "topology/machine.hpp"

namespace espalier::collective {

/// In which order a cluster's ranks stand.
enum class RankOrder : std::uint8_t {
  Rising,     ///< ordered by rank
  AlongTree,  ///< ordered as in the machine, so that neighbours of a ring are near each other
};

/// The ranks of a machine by its outermost clusters; a process beside the clusters is one alone.
/// Parts are in the order of their lowest ranks. O(processes) to make.
struct Partition {
  std::vector<std::vector<Rank>> parts;
  std::vector<Rank> part_of;      ///< [rank] index of its part
  std::vector<Rank> position_of;  ///< [rank] its position within its part

  [[nodiscard]] Rank count() const { return static_cast<Rank>(parts.size()); }
  [[nodiscard]] Rank size_of(Rank part) const { return static_cast<Rank>(parts[part].size()); }
  [[nodiscard]] Rank smallest() const;
  [[nodiscard]] Rank largest() const;
  /// The ranks of its part, seen from this one.
  [[nodiscard]] Participants participants_of(Rank rank) const;
  /// Every part is a run of consecutive ranks.
  [[nodiscard]] bool in_runs() const;
};

[[nodiscard]] Partition outermost_clusters(const topology::Machine& machine,
                                           RankOrder order = RankOrder::Rising);

}  // namespace espalier::collective
