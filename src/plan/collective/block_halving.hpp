#pragma once

#include <functional>
#include <span>

#include "collective/block_layout.hpp"
#include "collective/fold.hpp"
#include "collective/participants.hpp"

namespace espalier::collective {

/// Which blocks of the list it works on an active position keeps, and which it gives away. Indices
/// into that list; what is kept is the next list, in this order.
struct BlockHalves {
  schedule::IndexSet kept;
  schedule::IndexSet given;
};

/// What the reduce-scatters by halving have in common: actives meet their partners at the given
/// distances, each time half of the blocks changes hands and the other half is combined in the
/// order of the positions. The first list is all blocks by position; an active ends with its own.
/// Folded pairs come together first and part at last.
/// @param halves of an active and a distance
/// @pre between two partners, what one gives is what the other keeps, in the same order
void halve_blocks(schedule::ProgramBuilder& program, const Participants& participants,
                  const Fold& fold, const BlockLayout& contributions, const schedule::Region& mine,
                  std::span<const Rank> distances,
                  const std::function<BlockHalves(Rank active, Rank distance)>& halves);

}  // namespace espalier::collective
