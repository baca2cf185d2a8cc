#pragma once

#include "collective/multilevel_calls.hpp"

namespace espalier::collective {

/// This rank's own part of a reduction in the reference order (rank_blocks.hpp), level by level:
/// the same bits for every machine, placement, tree, segment and root.
///
/// Reduce goes up the multilevel tree of its root, allreduce up that of rank 0 and down again,
/// reduce-scatter up with all blocks and then scattered, scan and exscan up and down. Trees and
/// segments are the choice's, all edges cut at the finest of its levels; `top` is not used.
/// @pre one level choice for each level of the machine; fixed_order_supports(call)
[[nodiscard]] schedule::Program fixed_order_program(const Hierarchy& hierarchy,
                                                    const MultilevelChoice& choice,
                                                    const schedule::Collective& call, Rank rank);

/// Reductions: reduce, allreduce, reduce-scatter (also with counts), scan, exscan.
[[nodiscard]] bool fixed_order_supports(const schedule::Collective& call);

}  // namespace espalier::collective
