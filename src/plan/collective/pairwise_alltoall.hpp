#pragma once

#include <functional>

#include "collective/block_layout.hpp"
#include "collective/participants.hpp"

namespace espalier::collective {

/// One exchange at a time: in step s with position me XOR s if there are a power of two of them,
/// else to me + s and from me - s. In every step each rank sends once and receives once, so nobody
/// is crowded.
///
/// R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of collective communication operations in
/// MPICH", IJHPCA 19(1), 2005, section 4.3: pairwise exchange.
///
/// Steps: P - 1, each waiting for the one before. Sent a rank: P - 1 blocks, the least possible. No
/// scratch.
/// @param from block p goes to position p
/// @param to   block p comes from position p
void pairwise_alltoall(schedule::ProgramBuilder& program, const Participants& participants,
                       const BlockLayout& from, const BlockLayout& to);

/// The same for regions of any shape: what goes to a position, and what comes from it.
using RegionOf = std::function<schedule::Region(Rank position)>;
void pairwise_alltoall(schedule::ProgramBuilder& program, const Participants& participants,
                       const RegionOf& from, const RegionOf& to);

}  // namespace espalier::collective
