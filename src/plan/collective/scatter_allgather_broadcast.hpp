#pragma once

#include "collective/participants.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

/// The second half of scatter_allgather_broadcast.
enum class AllgatherOf : std::uint8_t { Ring, RecursiveDoubling };

/// The message is scattered in P pieces down a binomial tree, then the pieces go around to all.
///
/// M. Barnett, S. Gupta, D. Payne, L. Shuler, R. van de Geijn, J. Watts: "Building a
/// high-performance collective communication library", SC 1994 (van de Geijn's broadcast); with
/// both allgathers in R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of collective
/// communication operations in MPICH", IJHPCA 19(1), 2005.
///
/// Steps: ceil(log2 P), and P - 1 (ring) or log2 P (recursive doubling). Sent a rank: (P-1)/P of
/// the message in the allgather, and in the scatter its sub-tree's pieces but its own: about twice
/// the message by the root, whatever P. No scratch.
/// @param region the message: complete at the root before, everywhere afterwards. A plain slice
/// @pre for RecursiveDoubling the participants' size is a power of two
void scatter_allgather_broadcast(schedule::ProgramBuilder& program,
                                 const Participants& participants, Rank root,
                                 const schedule::Region& region, AllgatherOf second);

}  // namespace espalier::collective
