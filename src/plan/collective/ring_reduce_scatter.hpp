#pragma once

#include "collective/block_layout.hpp"
#include "collective/participants.hpp"

namespace espalier::collective {

/// Each block starts at the position after its owner and goes around the ring to it, everybody
/// adding its contribution on the way.
///
/// P. Patarasuk, X. Yuan: "Bandwidth optimal all-reduce algorithms for clusters of workstations",
/// JPDC 69(2), 2009: the first half of the ring.
///
/// Steps: P - 1, each of one block to a neighbour. Sent a rank: all blocks but its own, the least
/// possible. Scratch: P - 2 blocks, at most 64: as many may be on their way. Does not keep rank
/// order: block b is combined from b + 1 on around the end.
/// @param contributions this rank's contributions to all blocks; only read
/// @param mine          where the result of this rank's block goes
void ring_reduce_scatter(schedule::ProgramBuilder& program, const Participants& participants,
                         const BlockLayout& contributions, const schedule::Region& mine);

/// The same in place: this rank's block of `data` becomes the result, the others are left half
/// combined. Scratch: two blocks.
void ring_reduce_scatter_in_place(schedule::ProgramBuilder& program,
                                  const Participants& participants, const BlockLayout& data);
inline constexpr bool kRingReduceScatterKeepsRankOrder = false;

}  // namespace espalier::collective
