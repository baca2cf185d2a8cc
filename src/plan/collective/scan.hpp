#pragma once

#include <functional>
#include <span>

#include "collective/flat_estimate.hpp"
#include "collective/participants.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

// Scans and exscans among participants.

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

/// Each waits for the position before it, adds its own, and passes the sum on; in segments, so that
/// long vectors move through all at once.
///
/// P. Sanders, J. L. Traeff: "Parallel prefix (scan) algorithms for MPI", EuroPVM/MPI 2006, LNCS
/// 4192: linear pipeline.
///
/// Steps: P - 2 + segments. Sent a rank: the vector. Scratch: two segments. Keeps rank order.
/// @param data    this rank's contribution before; afterwards that of all positions up to it
/// @param segment units a message; 0: all in one
/// @pre data is a plain slice
void linear_scan(schedule::ProgramBuilder& program, const Participants& participants,
                 const schedule::Region& data, std::uint64_t segment);

/// linear_scan() without this rank's own contribution, which goes on to the next position only.
/// @param own    this rank's contribution
/// @param before where that of all positions before it goes; the first position has none
void linear_exscan(schedule::ProgramBuilder& program, const Participants& participants,
                   const schedule::Region& own, const schedule::Region& before,
                   std::uint64_t segment);

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

/// direct_exscan() with this rank's own contribution: the definition of the operation, all at once.
/// One latency, P (P - 1) / 2 messages: for short vectors on long ways.
///
/// Sent a rank: the vector to each position after it. Scratch: what it gets. Keeps rank order.
/// @param own    this rank's contribution
/// @param result that of all positions up to this one
/// @pre own and result are plain slices
void direct_scan(schedule::ProgramBuilder& program, const Participants& participants,
                 const schedule::Region& own, const schedule::Region& result);
/// Messages grow with the square of the ranks, and what the last one holds with their number.
[[nodiscard]] constexpr bool serves_direct_scan(Rank size) { return size <= 128; }

/// Everybody sends its contribution to all positions after it, which combine what they get, the
/// nearest first. One latency, P (P - 1) / 2 messages: for the few members of an outermost cluster,
/// where the other scans cost log2 P latencies or more.
///
/// Sent a rank: the vector to each position after it. Scratch: what it gets, but for one. Keeps
/// rank order.
/// @param own    this rank's contribution
/// @param before where that of all positions before it goes; the first position has none
/// @pre own and before are plain slices
void direct_exscan(schedule::ProgramBuilder& program, const Participants& participants,
                   const schedule::Region& own, const schedule::Region& before);

/// An exclusive scan out of an inclusive one: everybody hands its contribution to the next
/// position, and all but the first scan what they were given.
///
/// P. Sanders, J. L. Traeff: "Parallel prefix (scan) algorithms for MPI", EuroPVM/MPI 2006, LNCS
/// 4192, where the shift is the first round.
///
/// Steps: one more than the scan of P - 1. Keeps rank order if the scan does.
/// @param own    this rank's contribution
/// @param before where that of all positions before it goes; the first position has none
/// @param scan   in place, as recursive_doubling_scan
using InclusiveScan =
    std::function<void(schedule::ProgramBuilder&, const Participants&, const schedule::Region&)>;
void shifted_exscan(schedule::ProgramBuilder& program, const Participants& participants,
                    const schedule::Region& own, const schedule::Region& before,
                    const InclusiveScan& scan);

/// The estimate of a scan: moves the clocks of its members on.
using ScanTime = void (*)(FlatEstimate& at, std::span<const Rank> members);
/// Everybody sends on what it has, then all but the first scan.
void shifted_exscan_time(FlatEstimate& at, ScanTime scan);

}  // namespace espalier::collective
