#pragma once

#include "collective/block_layout.hpp"
#include "collective/participants.hpp"

namespace espalier::collective {

/// Everybody sends everybody its block at once, beginning with the next rank, and combines what
/// comes: the definition of the operation, as pairwise_reduce_scatter() without its steps.
///
/// Steps: one latency, P - 1 messages a rank: for short blocks on long ways. Sent a rank: all
/// blocks but its own, the least possible. Scratch: P - 1 blocks. Keeps rank order: the positions
/// before and after its own are combined apart, each downwards from its end.
/// @param contributions this rank's contributions to all blocks; only read
/// @param mine          where the result of this rank's block goes
void direct_reduce_scatter(schedule::ProgramBuilder& program, const Participants& participants,
                           const BlockLayout& contributions, const schedule::Region& mine);
inline constexpr bool kDirectReduceScatterKeepsRankOrder = true;
/// Messages grow with the square of the ranks, and what each one holds with their number.
[[nodiscard]] constexpr bool serves_direct_reduce_scatter(Rank size) { return size <= 128; }

}  // namespace espalier::collective
