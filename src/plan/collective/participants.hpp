#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace espalier::collective {

/// The ranks among whom an algorithm works, in its own order, seen from one of them: all ranks of a
/// call, the processes of a node, or the masters of the sites.
struct Participants {
  std::vector<Rank> ranks;
  Rank me = 0;  ///< position of this rank in `ranks`

  [[nodiscard]] Rank size() const { return static_cast<Rank>(ranks.size()); }
  /// The rank at a position, which may lie beyond either end by up to one round.
  [[nodiscard]] Rank at(std::int64_t position) const {
    const auto n = static_cast<std::int64_t>(ranks.size());
    return ranks[static_cast<std::size_t>((position % n + n) % n)];
  }
};

/// All ranks 0 .. size-1 in order.
[[nodiscard]] inline Participants all_participants(Rank size, Rank rank) {
  Participants participants;
  participants.me = rank;
  participants.ranks.reserve(size);
  for (Rank r = 0; r < size; ++r) participants.ranks.push_back(r);
  return participants;
}

/// The same ranks, counted from `first` on and around.
[[nodiscard]] inline Participants rotated(const Participants& participants, Rank first) {
  Participants turned;
  turned.me = (participants.me + participants.size() - first) % participants.size();
  turned.ranks.assign(participants.ranks.begin() + first, participants.ranks.end());
  turned.ranks.insert(turned.ranks.end(), participants.ranks.begin(),
                      participants.ranks.begin() + first);
  return turned;
}

}  // namespace espalier::collective
