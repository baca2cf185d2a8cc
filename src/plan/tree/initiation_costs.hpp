#pragma once

#include <vector>

#include "base/expected.hpp"
#include "model/cost_model.hpp"
#include "tree/participants.hpp"

namespace espalier::tree {

/// What a message of `size` costs each participant that sends it, if under this model that is all
/// that matters: whoever it goes to has it when its sender is free again, and is not kept busy.
/// One entry for each rank of the machine; 0 for those who take no part.
///
/// Refuses models in which links or receiving count, naming the two ranks that show it. Asks for
/// all ordered pairs of participants, O(P^2), but for NodeInitiation, whose costs are known to be
/// such; other models are refused beyond kMostPairsAsked participants.
/// @pre model.size() == who.machine_size
Expected<std::vector<Time>> initiation_costs_of(const model::CostModel& model, Bytes size,
                                                const Participants& who);
inline constexpr Rank kMostPairsAsked = 8192;

}  // namespace espalier::tree
