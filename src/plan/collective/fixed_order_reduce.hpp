#pragma once

#include <span>
#include <vector>

#include "collective/links.hpp"
#include "collective/rank_blocks.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

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
void fixed_order_reduce(schedule::ProgramBuilder& program, const Links& links,
                        std::span<const std::vector<Rank>> ranks_of_child, Rank size,
                        const schedule::Region& own, const schedule::Region& result);

}  // namespace espalier::collective
