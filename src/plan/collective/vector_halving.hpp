#pragma once

#include "collective/block_layout.hpp"
#include "collective/fold.hpp"
#include "collective/participants.hpp"

namespace espalier::collective {

/// The vector in as many pieces as there are actives; which of them an active works on, after it
/// has met its partners at the distances below `mask`: one range, half as long after each.
///
/// The near partners come first, when most is to be exchanged, and what is combined are
/// neighbouring ranges of positions: so rank order is kept, at the price that active a ends with
/// piece bit-reverse(a).
struct HeldPieces {
  Rank first = 0;
  Rank count = 0;
};
[[nodiscard]] HeldPieces held_pieces(Rank actives, Rank active, Rank mask);

/// Reduce-scatter of a vector in place by vector halving and distance doubling: the first half of
/// Rabenseifner's reduce and allreduce. Of each pair that is folded one stays active; afterwards
/// active a has the result in held_pieces(actives, a, actives).
/// @param data   this rank's contribution, overwritten. A plain slice
/// @param pieces data, split for the actives
void halve_vector(schedule::ProgramBuilder& program, const Participants& participants,
                  const Fold& fold, const schedule::Region& data, const BlockLayout& pieces);

}  // namespace espalier::collective
