#pragma once

#include <span>

#include "collective/multilevel.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

/// Scan or exscan level by level, for any placement and any operation: only runs of ranks are ever
/// combined, in order.
///
/// Ranks that follow each other in one cluster are a run; the runs of a level lie within those of
/// the level above. (Block placement: a cluster is one run. Cyclic: a rank is one.) On the way up
/// the last ranks of the runs that make up a longer one scan their totals; on the way down what
/// stands before the longer run is broadcast to them, from the last one, and put before what stands
/// within. P. Sanders, J. L. Traeff: "Parallel prefix (scan) algorithms for MPI", EuroPVM/MPI 2006,
/// LNCS 4192, section 3, has this for SMP nodes, with reduce and scan; ours is recursive and needs
/// no reduce.
///
/// A level's shape says how totals are scanned: Flat: direct_exscan, Chain: linear_exscan in
/// segments, Binomial: binomial_scan, Binary: recursive_doubling_scan; and how the broadcast works.
/// With block placement S - 1 vectors (Chain) cross the outermost channel, the least possible, and
/// nothing goes down across it.
/// @param inclusive scan, else exscan
/// @param in, out plain slices, whole; `out` of rank 0 is not written by exscan
void multilevel_scan(schedule::ProgramBuilder& program, const Hierarchy& hierarchy,
                     std::span<const LevelChoice> choices, bool inclusive,
                     const schedule::Region& in, const schedule::Region& out);

}  // namespace espalier::collective
