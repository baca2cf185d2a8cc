#pragma once

#include "collective/participants.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

/// Reduce-scatter by vector halving, then allgather by vector doubling along the same partners.
///
/// R. Rabenseifner: "Optimization of collective reduction operations", ICCS 2004, LNCS 3036; others
/// than powers of two by folding, as in R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of
/// collective communication operations in MPICH", IJHPCA 19(1), 2005.
///
/// Steps: 2 floor(log2 P), and 2 for folding. Sent a rank: 2 (P-1)/P of the vector, and the vector
/// in each step of folding. Scratch: half of the vector, the whole where folded. Every piece is
/// combined in one place, so all have the same bits. Keeps rank order: near partners first, see
/// vector_halving.hpp.
/// @param data this rank's contribution before, the result afterwards. A plain slice
void rabenseifner_allreduce(schedule::ProgramBuilder& program, const Participants& participants,
                            const schedule::Region& data);
inline constexpr bool kRabenseifnerAllreduceKeepsRankOrder = true;

}  // namespace espalier::collective
