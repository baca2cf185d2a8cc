#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace espalier::collective {

/// The ranks among whom an algorithm works, in its own order, seen from one of them: all ranks of a
/// call, the processes of a node, or the masters of the sites.
struct Team {
  std::vector<Rank> ranks;
  Rank me = 0;  ///< this rank's position

  [[nodiscard]] Rank size() const { return static_cast<Rank>(ranks.size()); }
  /// The rank at a position, which may lie beyond either end by up to one round.
  [[nodiscard]] Rank at(std::int64_t position) const {
    const auto n = static_cast<std::int64_t>(ranks.size());
    return ranks[static_cast<std::size_t>((position % n + n) % n)];
  }
};

/// All ranks 0 .. size-1 in order.
[[nodiscard]] inline Team whole_team(Rank size, Rank rank) {
  Team team;
  team.me = rank;
  team.ranks.reserve(size);
  for (Rank r = 0; r < size; ++r) team.ranks.push_back(r);
  return team;
}

/// The same ranks, counted from `first` on and around.
[[nodiscard]] inline Team rotated(const Team& team, Rank first) {
  Team turned;
  turned.me = (team.me + team.size() - first) % team.size();
  turned.ranks.assign(team.ranks.begin() + first, team.ranks.end());
  turned.ranks.insert(turned.ranks.end(), team.ranks.begin(), team.ranks.begin() + first);
  return turned;
}

}  // namespace espalier::collective
