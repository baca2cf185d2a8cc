#pragma once

#include "collective/block_layout.hpp"
#include "collective/participants.hpp"

namespace espalier::collective {

/// Everybody sends its block straight to the root.
///
/// J. Pjesivac-Grbovic, T. Angskun, G. Bosilca, G. Fagg, E. Gabriel, J. Dongarra: "Performance
/// analysis of MPI collective operations", Cluster Computing 10(2), 2007: linear, flat tree.
///
/// Steps: P - 1 receives at the root, one for the others. Sent a rank: its block. No scratch.
/// @param own this rank's block
/// @param all at the root, where the blocks go; elsewhere not looked at
/// @param tag see send_families
void linear_gather(schedule::ProgramBuilder& program, const Participants& participants, Rank root,
                   const schedule::Region& own, const BlockLayout& all, std::uint32_t tag);

}  // namespace espalier::collective
