#pragma once

#include "collective/participants.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

/// Partners at distance 1, 2, 4, ... tell each other (pairwise exchange, recursive doubling).
///
/// E. Brooks: "The butterfly barrier", International Journal of Parallel Programming 15(4), 1986;
/// others than powers of two by folding.
///
/// Steps: floor(log2 P), and 2 for folding. Messages: as many a rank, all empty.
void butterfly_barrier(schedule::ProgramBuilder& program, const Participants& participants);

}  // namespace espalier::collective
