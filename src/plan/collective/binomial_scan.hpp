#pragma once

#include "collective/participants.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

/// Up a binomial tree sums of neighbouring ranges are made, down it they are handed to those who
/// lack them.
///
/// R. Brent, H. T. Kung: "A regular layout for parallel adders", IEEE Transactions on Computers
/// 31(3), 1982; between processes in P. Sanders, J. L. Traeff: "Parallel prefix (scan) algorithms
/// for MPI", EuroPVM/MPI 2006, LNCS 4192: binomial tree.
///
/// Steps: at most 2 floor(log2 P). Messages: fewer than 2 P in all, where recursive doubling has
/// about P log2 P. Sent a rank: the vector at most log2 P times, half of the ranks once. Scratch:
/// the vector. Keeps rank order.
/// @param data this rank's contribution before; afterwards that of all positions up to it. A plain
///        slice
void binomial_scan(schedule::ProgramBuilder& program, const Participants& participants,
                   const schedule::Region& data);
inline constexpr bool kBinomialScanKeepsRankOrder = true;

}  // namespace espalier::collective
