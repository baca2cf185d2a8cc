#pragma once

#include "collective/participants.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

/// Each waits for the position before it, adds its own, and passes the sum on; in segments, so that
/// long vectors move through all at once.
///
/// P. Sanders, J. L. Traeff: "Parallel prefix (scan) algorithms for MPI", EuroPVM/MPI 2006, LNCS
/// 4192: linear pipeline.
///
/// Steps: P - 2 + segments. Sent a rank: the vector. Scratch: two segments. Keeps rank order.
/// @param data    this rank's contribution before; afterwards that of all positions up to it
/// @param segment units a message; 0: all in one
/// @pre data is a plain slice
void linear_scan(schedule::ProgramBuilder& program, const Participants& participants,
                 const schedule::Region& data, std::uint64_t segment);

/// The same without this rank's own contribution, which goes on to the next position only.
/// @param own    this rank's contribution
/// @param before where that of all positions before it goes; the first position has none
void linear_exscan(schedule::ProgramBuilder& program, const Participants& participants,
                   const schedule::Region& own, const schedule::Region& before,
                   std::uint64_t segment);
inline constexpr bool kLinearScanKeepsRankOrder = true;

}  // namespace espalier::collective
