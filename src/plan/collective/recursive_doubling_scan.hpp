#pragma once

#include "collective/participants.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

/// In round k everybody passes what it has to the position 2^k further on, which puts it before its
/// own.
///
/// W. D. Hillis, G. L. Steele: "Data parallel algorithms", CACM 29(12), 1986: partial sums; C.
/// Kruskal, L. Rudolph, M. Snir: "The power of parallel prefix", IEEE Transactions on Computers
/// 34(10), 1985.
///
/// Steps: ceil(log2 P), any P. Sent a rank: at most the vector in each step. Scratch: the vector.
/// Keeps rank order.
/// @param data this rank's contribution before; afterwards that of all positions up to it. A plain
///        slice
void recursive_doubling_scan(schedule::ProgramBuilder& program, const Participants& participants,
                             const schedule::Region& data);
inline constexpr bool kRecursiveDoublingScanKeepsRankOrder = true;

}  // namespace espalier::collective
