#pragma once

#include "collective/participants.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

/// Reduces `region` over the participants so that all of it have the result: everybody sends its
/// part to everybody and combines all parts in the participants' order. One latency, S(S-1)
/// messages: for the masters of a few sites, where a tree would cost two latencies.
///
/// The order of combining is the participants' on every member, so all get the same bits; it is
/// rank order if each member's part is a contiguous run of ranks and the participants are in their
/// order.
/// @param segment units a message; 0: all in one
/// @pre region is a plain slice
void direct_exchange(schedule::ProgramBuilder& program, const Participants& participants,
                     const schedule::Region& region, std::uint64_t segment);

/// A barrier in the same way, without data.
void direct_exchange_barrier(schedule::ProgramBuilder& program, const Participants& participants);

}  // namespace espalier::collective
