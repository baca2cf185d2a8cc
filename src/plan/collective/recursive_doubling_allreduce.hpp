#pragma once

#include "collective/participants.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

/// Partners at distance 1, 2, 4, ... exchange what they have and combine it, both in the order of
/// their positions, so both have the same bits.
///
/// R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of collective communication operations in
/// MPICH", IJHPCA 19(1), 2005: recursive doubling; others than powers of two by folding.
///
/// Steps: floor(log2 P), and 2 for folding. Sent a rank: the vector in each step. Scratch: the
/// vector. Keeps rank order: what is combined are neighbouring ranges of positions.
/// @param data this rank's contribution before, the result afterwards. A plain slice
void recursive_doubling_allreduce(schedule::ProgramBuilder& program,
                                  const Participants& participants, const schedule::Region& data);
inline constexpr bool kRecursiveDoublingAllreduceKeepsRankOrder = true;

}  // namespace espalier::collective
