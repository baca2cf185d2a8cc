#pragma once

#include "collective/block_layout.hpp"
#include "collective/participants.hpp"

namespace espalier::collective {

/// Everybody sends its block to everybody at once, beginning with the next rank.
///
/// J. Pjesivac-Grbovic, T. Angskun, G. Bosilca, G. Fagg, E. Gabriel, J. Dongarra: "Performance
/// analysis of MPI collective operations", Cluster Computing 10(2), 2007: linear. Beginning with
/// the next rank spares rank 0 from being everybody's first.
///
/// Steps: one latency, P - 1 messages a rank, in one family of sends and one of receives. Sent a
/// rank: P - 1 times its block. No scratch.
/// @param all has this rank's block in place; afterwards all blocks
/// @param tag see send_families
void direct_allgather(schedule::ProgramBuilder& program, const Participants& participants,
                      const BlockLayout& all, std::uint32_t tag);

}  // namespace espalier::collective
