#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/contract.hpp"
#include "base/types.hpp"
#include "topology/machine.hpp"

namespace espalier::collective {

/// The ranks among whom an algorithm works, in its own order, seen from one of them: all ranks of a
/// call, the processes of a node, or the masters of the sites.
///
/// Few of them are listed. All ranks of a call are not, so that a rank's own part does not cost
/// time and memory for all of them.
struct Participants {
  std::vector<Rank> ranks;  ///< those that are listed; empty: a run of all ranks
  Rank me = 0;              ///< position of this rank

  Rank run = 0;    ///< number of ranks of the run
  Rank first = 0;  ///< number of the first rank of the run (along the machine: its leaf)
  Rank turn = 0;   ///< positions count from this one of the run on, and around
  const topology::Machine* along = nullptr;  ///< the run counts leaves of this machine; null: ranks

  [[nodiscard]] Rank size() const { return ranks.empty() ? run : static_cast<Rank>(ranks.size()); }
  [[nodiscard]] Rank operator[](std::size_t position) const {
    if (!ranks.empty()) return ranks[position];
    const auto number = static_cast<Rank>(first + (position + turn) % run);
    return along == nullptr ? number : along->rank_at(number);
  }
  /// The rank at a position, which may lie beyond either end by up to one round.
  [[nodiscard]] Rank at(std::int64_t position) const {
    const std::int64_t n = size();
    return (*this)[static_cast<std::size_t>((position % n + n) % n)];
  }
};

/// All ranks 0 .. size-1 in order.
[[nodiscard]] inline Participants all_participants(Rank size, Rank rank) {
  Participants all;
  all.me = rank;
  all.run = size;
  return all;
}

/// All ranks of a machine as they lie in it. The machine must outlive it.
[[nodiscard]] inline Participants along_machine(const topology::Machine& machine, Rank rank) {
  Participants all = all_participants(machine.size(), machine.leaf_of(rank));
  all.along = &machine;
  return all;
}

/// The same ranks, counted from `first` on and around.
[[nodiscard]] inline Participants rotated(const Participants& participants, Rank first) {
  Participants turned = participants;
  turned.me = (participants.me + participants.size() - first) % participants.size();
  if (participants.ranks.empty()) {
    turned.turn = (participants.turn + first) % participants.run;
    return turned;
  }
  turned.ranks.assign(participants.ranks.begin() + first, participants.ranks.end());
  turned.ranks.insert(turned.ranks.end(), participants.ranks.begin(),
                      participants.ranks.begin() + first);
  return turned;
}

/// All but the first. @pre several, not rotated, and this rank is not the first
[[nodiscard]] inline Participants without_first(Participants participants) {
  expects(participants.size() > 1 && participants.me > 0 && participants.turn == 0,
          "without_first: the first itself, or ranks that are rotated");
  --participants.me;
  if (participants.ranks.empty()) {
    ++participants.first;
    --participants.run;
  } else {
    participants.ranks.erase(participants.ranks.begin());
  }
  return participants;
}

}  // namespace espalier::collective
