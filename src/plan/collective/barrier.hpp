#pragma once

#include "collective/participants.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

// Barriers among participants. All messages are empty.

/// In round k everybody tells the rank 2^k further on, and hears from the one 2^k before: after it
/// each has heard, through others, of the 2^(k+1) ranks up to itself.
///
/// D. Hensgen, R. Finkel, U. Manber: "Two algorithms for barrier synchronization", International
/// Journal of Parallel Programming 17(1), 1988: dissemination.
///
/// Steps: ceil(log2 P), any P. Messages: as many a rank, all empty.
void dissemination_barrier(schedule::ProgramBuilder& program, const Participants& participants);

/// Partners at distance 1, 2, 4, ... tell each other (pairwise exchange, recursive doubling).
///
/// E. Brooks: "The butterfly barrier", International Journal of Parallel Programming 15(4), 1986;
/// others than powers of two by folding.
///
/// Steps: floor(log2 P), and 2 for folding. Messages: as many a rank, all empty.
void butterfly_barrier(schedule::ProgramBuilder& program, const Participants& participants);

}  // namespace espalier::collective
