#pragma once

#include "collective/participants.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

/// In round k everybody tells the rank 2^k further on, and hears from the one 2^k before: after it
/// each has heard, through others, of the 2^(k+1) ranks up to itself.
///
/// D. Hensgen, R. Finkel, U. Manber: "Two algorithms for barrier synchronization", International
/// Journal of Parallel Programming 17(1), 1988: dissemination.
///
/// Steps: ceil(log2 P), any P. Messages: as many a rank, all empty.
void dissemination_barrier(schedule::ProgramBuilder& program, const Participants& participants);

}  // namespace espalier::collective
