#pragma once

#include "collective/block_layout.hpp"
#include "collective/participants.hpp"

namespace espalier::collective {

// Reduce-scatters among participants.

/// Partners at distance P/2, P/4, ... each give away the half of their blocks that the other's side
/// owns, and combine the half they keep.
///
/// R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of collective communication operations in
/// MPICH", IJHPCA 19(1), 2005, section 4.4: recursive halving; others than powers of two by
/// folding.
///
/// Steps: floor(log2 P), and 2 for folding. Sent a rank: all blocks but its own; where folded, all
/// blocks in the first step instead, or one more in the last. Scratch: fewer than P blocks (folded:
/// 2 P). Does not keep rank order; butterfly_reduce_scatter does.
/// @param contributions this rank's contributions to all blocks; only read
/// @param mine          where the result of this rank's block goes
void recursive_halving_reduce_scatter(schedule::ProgramBuilder& program,
                                      const Participants& participants,
                                      const BlockLayout& contributions,
                                      const schedule::Region& mine);

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

/// In step s everybody sends position me + s its block and combines what comes from me - s.
///
/// R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of collective communication operations in
/// MPICH", IJHPCA 19(1), 2005, section 4.4: pairwise exchange. MPICH's is for operations that
/// commute; ours combines the positions before and after its own apart, each downwards from its
/// end, and joins them at last, so rank order is kept.
///
/// Steps: P - 1, each waiting for the messages of the one before. Sent a rank: all blocks but its
/// own, the least possible. Scratch: three blocks.
/// @param contributions this rank's contributions to all blocks; only read
/// @param mine          where the result of this rank's block goes
void pairwise_reduce_scatter(schedule::ProgramBuilder& program, const Participants& participants,
                             const BlockLayout& contributions, const schedule::Region& mine);

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

/// ring_reduce_scatter() in place: this rank's block of `data` becomes the result, the others are
/// left half combined. Scratch: two blocks.
void ring_reduce_scatter_in_place(schedule::ProgramBuilder& program,
                                  const Participants& participants, const BlockLayout& data);

/// Everybody sends everybody its block at once, beginning with the next rank, and combines what
/// comes: the definition of the operation, as pairwise_reduce_scatter() without its steps.
///
/// Steps: one latency, P - 1 messages a rank: for short blocks on long ways. Sent a rank: all
/// blocks but its own, the least possible. Scratch: P - 1 blocks. Keeps rank order: the positions
/// before and after its own are combined apart, each downwards from its end.
/// @param contributions this rank's contributions to all blocks; only read
/// @param mine          where the result of this rank's block goes; maybe its place there
void direct_reduce_scatter(schedule::ProgramBuilder& program, const Participants& participants,
                           const BlockLayout& contributions, const schedule::Region& mine);
/// Messages grow with the square of the ranks, and what each one holds with their number.
[[nodiscard]] constexpr bool serves_direct_reduce_scatter(Rank size) { return size <= 128; }

}  // namespace espalier::collective
