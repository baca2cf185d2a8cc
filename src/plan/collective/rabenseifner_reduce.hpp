#pragma once

#include "collective/participants.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

/// Reduce-scatter by vector halving, then the pieces are gathered up a binomial tree.
///
/// R. Rabenseifner: "Optimization of collective reduction operations", ICCS 2004, LNCS 3036. The
/// tree leads to the root wherever it is: partners meet at the same distances as before, and the
/// one that differs from the root in that bit sends. MPICH would send the result on once more if
/// the root was folded away; here the root stays.
///
/// Steps: 2 floor(log2 P), and 1 for folding. Sent a rank: (P-1)/P of the vector, and at most half
/// of it in the gather. Scratch: the vector and half of it (folded: and the whole); the root works
/// in its result. Keeps rank order, see vector_halving.hpp.
/// @param own    this rank's contribution
/// @param result at the root, where the result goes; elsewhere not looked at
/// @pre plain slices of equal length
void rabenseifner_reduce(schedule::ProgramBuilder& program, const Participants& participants,
                         Rank root, const schedule::Region& own, const schedule::Region& result);
inline constexpr bool kRabenseifnerReduceKeepsRankOrder = true;

}  // namespace espalier::collective
