#pragma once

#include "collective/participants.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

// Allreduces among participants, and the reduce by vector halving. Along a tree: tree_links.hpp.

/// Partners at distance 1, 2, 4, ... exchange what they have and combine it, both in the order of
/// their positions, so both have the same bits.
///
/// R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of collective communication operations in
/// MPICH", IJHPCA 19(1), 2005: recursive doubling; others than powers of two by folding.
///
/// Steps: floor(log2 P), and 2 for folding. Sent a rank: the vector in each step. Scratch: the
/// vector. Keeps rank order: what is combined are neighbouring ranges of positions.
/// @param data this rank's contribution before, the result afterwards. A plain slice
void recursive_doubling_allreduce(schedule::ProgramBuilder& program,
                                  const Participants& participants, const schedule::Region& data);

/// Reduce-scatter by vector halving, then allgather by vector doubling along the same partners.
///
/// R. Rabenseifner: "Optimization of collective reduction operations", ICCS 2004, LNCS 3036; others
/// than powers of two by folding, as in R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of
/// collective communication operations in MPICH", IJHPCA 19(1), 2005.
///
/// Steps: 2 floor(log2 P), and 2 for folding. Sent a rank: 2 (P-1)/P of the vector, and the vector
/// in each step of folding. Scratch: half of the vector, the whole where folded. Every piece is
/// combined in one place, so all have the same bits. Keeps rank order: near partners first, see
/// halving.hpp.
/// @param data this rank's contribution before, the result afterwards. A plain slice
void rabenseifner_allreduce(schedule::ProgramBuilder& program, const Participants& participants,
                            const schedule::Region& data);

/// Pieces of the vector go around the ring twice: once to be combined, once to be told.
///
/// P. Patarasuk, X. Yuan: "Bandwidth optimal all-reduce algorithms for clusters of workstations",
/// JPDC 69(2), 2009.
///
/// Steps: 2 (P - 1), each of one piece to a neighbour. Sent a rank: 2 (P-1)/P of the vector, the
/// least possible. Scratch: two pieces. Every piece is combined along one way, so all have the same
/// bits. Does not keep rank order.
/// @param data this rank's contribution before, the result afterwards. A plain slice
void ring_allreduce(schedule::ProgramBuilder& program, const Participants& participants,
                    const schedule::Region& data);

/// Everybody combines a piece of the vector, which all send it at once, and sends the result to all
/// at once: direct_reduce_scatter(), then an allgather likewise.
///
/// Steps: two latencies, 2 (P - 1) messages a rank: where latencies are long and links even. Sent a
/// rank: 2 (P-1)/P of the vector, the least possible. Scratch: P - 1 pieces. Keeps rank order.
/// @param in  this rank's contribution
/// @param out the result. Plain slices of equal length, maybe the same one
void direct_allreduce(schedule::ProgramBuilder& program, const Participants& participants,
                      const schedule::Region& in, const schedule::Region& out);

/// Reduces `region` over the participants so that all of it have the result: everybody sends its
/// part to everybody and combines all parts in the participants' order. One latency, S(S-1)
/// messages: for the masters of a few sites, where a tree would cost two latencies.
///
/// The order of combining is the participants' on every member, so all get the same bits; it is
/// rank order if each member's part is a contiguous run of ranks and the participants are in their
/// order.
/// @param segment units a message; 0: all in one
/// @pre region is a plain slice
void direct_exchange(schedule::ProgramBuilder& program, const Participants& participants,
                     const schedule::Region& region, std::uint64_t segment);

/// A barrier in the same way, without data.
void direct_exchange_barrier(schedule::ProgramBuilder& program, const Participants& participants);

/// Reduce-scatter by vector halving, then the pieces are gathered up a binomial tree.
///
/// R. Rabenseifner: "Optimization of collective reduction operations", ICCS 2004, LNCS 3036. The
/// tree leads to the root wherever it is: partners meet at the same distances as before, and the
/// one that differs from the root in that bit sends. MPICH would send the result on once more if
/// the root was folded away; here the root stays.
///
/// Steps: 2 floor(log2 P), and 1 for folding. Sent a rank: (P-1)/P of the vector, and at most half
/// of it in the gather. Scratch: the vector and half of it (folded: and the whole); the root works
/// in its result. Keeps rank order, see halving.hpp.
/// @param own    this rank's contribution
/// @param result at the root, where the result goes; elsewhere not looked at
/// @pre plain slices of equal length
void rabenseifner_reduce(schedule::ProgramBuilder& program, const Participants& participants,
                         Rank root, const schedule::Region& own, const schedule::Region& result);

}  // namespace espalier::collective
