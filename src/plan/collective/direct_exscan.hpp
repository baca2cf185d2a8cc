#pragma once

#include "collective/participants.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

/// Everybody sends its contribution to all positions after it, which combine what they get, the
/// nearest first. One latency, P (P - 1) / 2 messages: for the few members of an outermost cluster,
/// where the other scans cost log2 P latencies or more.
///
/// Sent a rank: the vector to each position after it. Scratch: what it gets, but for one. Keeps
/// rank order.
/// @param own    this rank's contribution
/// @param before where that of all positions before it goes; the first position has none
/// @pre own and before are plain slices
void direct_exscan(schedule::ProgramBuilder& program, const Participants& participants,
                   const schedule::Region& own, const schedule::Region& before);

}  // namespace espalier::collective
