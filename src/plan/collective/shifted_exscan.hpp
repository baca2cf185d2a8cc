#pragma once

#include <functional>

#include "collective/participants.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

/// An exclusive scan out of an inclusive one: everybody hands its contribution to the next
/// position, and all but the first scan what they were given.
///
/// P. Sanders, J. L. Traeff: "Parallel prefix (scan) algorithms for MPI", EuroPVM/MPI 2006, LNCS
/// 4192, where the shift is the first round.
///
/// Steps: one more than the scan of P - 1. Keeps rank order if the scan does.
/// @param own    this rank's contribution
/// @param before where that of all positions before it goes; the first position has none
/// @param scan   in place, as recursive_doubling_scan
using InclusiveScan =
    std::function<void(schedule::ProgramBuilder&, const Participants&, const schedule::Region&)>;
void shifted_exscan(schedule::ProgramBuilder& program, const Participants& participants,
                    const schedule::Region& own, const schedule::Region& before,
                    const InclusiveScan& scan);

}  // namespace espalier::collective
