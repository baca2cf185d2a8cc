#pragma once

#include <span>
#include <vector>

#include "collective/multilevel_calls.hpp"
#include "collective/rank_blocks.hpp"
#include "collective/tree_links.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

/// This rank's own part of a reduction in the reference order (rank_blocks.hpp), level by level:
/// the same bits for every machine, placement, tree, segment and root.
///
/// Reduce goes up the multilevel tree of its root, allreduce up that of rank 0 and down again,
/// reduce-scatter up with all blocks and then scattered, scan and exscan up and down. Trees and
/// segments are the choice's, all edges cut at the finest of its levels; `top` is not used.
/// @pre one level choice for each level of the machine; a reduction
[[nodiscard]] schedule::Program fixed_order_program(const Hierarchy& hierarchy,
                                                    const MultilevelChoice& choice,
                                                    const schedule::Collective& call, Rank rank);

/// Reduction up a tree in the reference order (rank_blocks.hpp): the same bits whatever the tree,
/// the placement of the ranks, the root and the segments.
///
/// A sub-tree sends one partial result for each of the greatest blocks within it. Clusters of 2^k
/// consecutive ranks send one; a cluster of n consecutive ranks at most 2 log2 n; under cyclic or
/// random placement up to one for each rank, as an ordered reduction does.
///
/// @param ranks_of_child for each child of `links`, the ranks of its whole sub-tree, sorted
/// @param result at the root, where the result ends up; elsewhere of length 0
/// @pre own and result are plain slices; segments of all links are equal
void fixed_order_reduce(schedule::ProgramBuilder& program, const TreeLinks& links,
                        std::span<const std::vector<Rank>> ranks_of_child, Rank size,
                        const schedule::Region& own, const schedule::Region& result);

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
void fixed_order_scan(schedule::ProgramBuilder& program, const TreeLinks& links,
                      std::span<const std::vector<Rank>> ranks_of_child, Rank size,
                      const schedule::Region& own, const schedule::Region& result, bool inclusive);

}  // namespace espalier::collective
