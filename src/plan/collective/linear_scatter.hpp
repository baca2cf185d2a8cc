#pragma once

#include "collective/block_layout.hpp"
#include "collective/participants.hpp"

namespace espalier::collective {

/// The root sends everybody its block, from the first position to the last.
///
/// J. Pjesivac-Grbovic, T. Angskun, G. Bosilca, G. Fagg, E. Gabriel, J. Dongarra: "Performance
/// analysis of MPI collective operations", Cluster Computing 10(2), 2007: linear, flat tree.
///
/// Steps: P - 1 sends at the root, one receive for the others. Sent: all blocks but its own by the
/// root, nothing by the others. No scratch.
/// @param all at the root, where the blocks are; elsewhere not looked at
/// @param own where this rank's block goes
/// @param tag see send_families
void linear_scatter(schedule::ProgramBuilder& program, const Participants& participants, Rank root,
                    const BlockLayout& all, const schedule::Region& own, std::uint32_t tag);

}  // namespace espalier::collective
