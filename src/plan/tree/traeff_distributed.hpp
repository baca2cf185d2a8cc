#pragma once

#include <span>

#include "tree/irregular.hpp"

namespace espalier::tree {

/// Traeff's fully distributed tree, which nobody needs all lengths for: neighbouring runs of 1, 2,
/// 4, ... ranks join, and of two the one that is gathered earlier (whose root has received less,
/// then: which has less in all) hangs its root below the other's; the run of the given root always
/// keeps it. Bundles are runs of ranks in order.
///
///   lengths 5 1 2 9, root 0:   0 <- 1    3 <- 2    0 <- 3
///
/// The ranks find it out among themselves in ceil(log2 P) rounds of one number each, before the
/// data. O(P). Of equal runs the lower one stays.
/// @post spans all ranks, the empty ones too: they take part in the rounds
[[nodiscard]] CommTree traeff_distributed(std::span<const Bytes> bytes, Rank root);

/// What those rounds take: in each the roots of two neighbouring runs tell each other their sums, 8
/// bytes at once, before the next. O(P).
[[nodiscard]] Time traeff_distributed_setup(std::span<const Bytes> bytes, Rank root,
                                            const model::CostModel& model);

}  // namespace espalier::tree
