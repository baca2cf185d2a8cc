#pragma once

#include "collective/block_layout.hpp"
#include "collective/participants.hpp"

namespace espalier::collective {

/// As recursive halving, but with the nearest partner first: what is combined are neighbouring
/// ranges of positions, so rank order is kept. After the partners at distances below m an active
/// position works on every m-th block.
///
/// J. L. Traeff: "An improved algorithm for (non-commutative) reduce-scatter with an application",
/// EuroPVM/MPI 2005, LNCS 3666: the butterfly. The paper permutes blocks so that halves are
/// contiguous; here a message is every second block of a list, told as such. Others than powers of
/// two by folding.
///
/// Steps: floor(log2 P), and 2 for folding. Sent a rank: all blocks but its own; where folded, all
/// blocks in the first step instead, or one more in the last. Scratch: fewer than P blocks (folded:
/// 2 P).
/// @param contributions this rank's contributions to all blocks; only read
/// @param mine          where the result of this rank's block goes
void butterfly_reduce_scatter(schedule::ProgramBuilder& program, const Participants& participants,
                              const BlockLayout& contributions, const schedule::Region& mine);
inline constexpr bool kButterflyReduceScatterKeepsRankOrder = true;

}  // namespace espalier::collective
