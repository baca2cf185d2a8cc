#pragma once

#include "collective/participants.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

/// Everybody combines a piece of the vector, which all send it at once, and sends the result to all
/// at once: direct_reduce_scatter(), then an allgather likewise.
///
/// Steps: two latencies, 2 (P - 1) messages a rank: where latencies are long and links even. Sent a
/// rank: 2 (P-1)/P of the vector, the least possible. Scratch: P - 1 pieces. Keeps rank order.
/// @param in  this rank's contribution
/// @param out the result. Plain slices of equal length
void direct_allreduce(schedule::ProgramBuilder& program, const Participants& participants,
                      const schedule::Region& in, const schedule::Region& out);

}  // namespace espalier::collective
