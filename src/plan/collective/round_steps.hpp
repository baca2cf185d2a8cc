#pragma once

#include <functional>
#include <span>

#include "cost/rounds.hpp"

namespace espalier::collective {

/// The rounds of the classical algorithms among any ranks in any order, as collective/ builds them
/// over a Participants: each moves the clocks of its members on.

/// Member a sends `bytes(a, mask)` to a ^ mask, for mask = 1, 2, 4, ... or down;
/// other numbers of members fold their pairs in before, with messages of `folded` bytes.
struct Butterfly {
  bool rising = true;  ///< whether the nearest partner comes first
  bool combines = false;
  double fold_in = 0;  ///< bytes that a folded member sends first; 0: no folding
  double fold_out = 0;
  Rank keep = 0;  ///< position that stays in its pair, see Fold
};
void butterfly(cost::Rounds& rounds, std::span<const Rank> members, const Butterfly& how,
               const std::function<double(Rank active, Rank mask)>& bytes);

/// Behind a butterfly, the pieces of all actives to that of position `to`: first those of the
/// farther half to the nearer one, then half of these, and so on.
/// @param bytes of a message between partners whose numbers differ in bit `mask`
void pieces_to_one(cost::Rounds& rounds, std::span<const Rank> members, Rank to,
                   const std::function<double(Rank mask)>& bytes);

/// A reduce-scatter of blocks of `block` bytes by halving: one way meets the farthest partner first
/// and gives it a range of blocks, the other (rising) the nearest and gives every 2nd, 4th, ...
void halving(cost::Rounds& rounds, std::span<const Rank> members, bool rising, double block);

/// Bruck's and dissemination's: to position + 2^k, all the way round.
void dissemination(cost::Rounds& rounds, std::span<const Rank> members,
                   const std::function<double(Rank distance)>& bytes);

/// Everybody with the member `step` further, step after step. Rounds with the same distance as one
/// of the first few look alike on any regular machine: among more than kPairwiseAllUpTo members
/// only some are worked out, pairwise_stride() apart, each standing for its neighbours.
inline constexpr Rank kPairwiseAllUpTo = 64;
[[nodiscard]] constexpr Rank pairwise_stride(Rank size) {
  return size <= kPairwiseAllUpTo ? 1 : (size - 1 + kPairwiseAllUpTo - 1) / kPairwiseAllUpTo;
}
void pairwise(cost::Rounds& rounds, std::span<const Rank> members, double bytes, bool combines);

}  // namespace espalier::collective
