#pragma once

#include "collective/participants.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

/// Pieces of the vector go around the ring twice: once to be combined, once to be told.
///
/// P. Patarasuk, X. Yuan: "Bandwidth optimal all-reduce algorithms for clusters of workstations",
/// JPDC 69(2), 2009.
///
/// Steps: 2 (P - 1), each of one piece to a neighbour. Sent a rank: 2 (P-1)/P of the vector, the
/// least possible. Scratch: two pieces. Every piece is combined along one way, so all have the same
/// bits. Does not keep rank order.
/// @param data this rank's contribution before, the result afterwards. A plain slice
void ring_allreduce(schedule::ProgramBuilder& program, const Participants& participants,
                    const schedule::Region& data);
inline constexpr bool kRingAllreduceKeepsRankOrder = false;

}  // namespace espalier::collective
