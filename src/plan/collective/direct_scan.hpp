#pragma once

#include "collective/participants.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

/// direct_exscan() with this rank's own contribution: the definition of the operation, all at once.
/// One latency, P (P - 1) / 2 messages: for short vectors on long ways.
///
/// Sent a rank: the vector to each position after it. Scratch: what it gets. Keeps rank order.
/// @param own    this rank's contribution
/// @param result that of all positions up to this one
/// @pre own and result are plain slices
void direct_scan(schedule::ProgramBuilder& program, const Participants& participants,
                 const schedule::Region& own, const schedule::Region& result);
inline constexpr bool kDirectScanKeepsRankOrder = true;
/// Messages grow with the square of the ranks, and what the last one holds with their number.
[[nodiscard]] constexpr bool serves_direct_scan(Rank size) { return size <= 128; }

}  // namespace espalier::collective
