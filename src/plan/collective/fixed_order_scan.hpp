#pragma once

#include <span>
#include <vector>

#include "collective/links.hpp"
#include "collective/rank_blocks.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

/// Scan and exscan in the reference order: rank r ends with what a reduction of ranks 0 .. r (0 ..
/// r-1) alone would give.
///
/// Up the tree as fixed_order_reduce, but every block is kept; down again each child is sent the
/// blocks that ranks below it need and that are not its own (blocks_from_outside). Both ways in
/// one message a segment and edge. A block that is needed outside a sub-tree is always one of the
/// greatest within it: its right neighbour holds whoever needs it, so it is not wholly inside. With
/// clusters of 2^k consecutive ranks a cluster sends one partial result and is sent at most one for
/// each bit of its number.
/// @param ranks_of_child for each child of `links`, the ranks of its whole sub-tree, sorted
/// @param inclusive scan, else exscan (which leaves `result` of rank 0 alone)
/// @pre own and result are plain slices of equal length; segments of all links are equal
void fixed_order_scan(schedule::ProgramBuilder& program, const Links& links,
                      std::span<const std::vector<Rank>> ranks_of_child, Rank size,
                      const schedule::Region& own, const schedule::Region& result, bool inclusive);

}  // namespace espalier::collective
