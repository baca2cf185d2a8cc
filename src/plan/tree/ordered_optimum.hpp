#pragma once

#include "tree/irregular.hpp"

namespace espalier::tree {

/// The best tree whose bundles are all runs of ranks in order, and its time: an oracle for small
/// cases. (Without that rule the best tree is NP-hard to find.)
struct OrderedOptimum {
  CommTree tree;
  Time time;  ///< of the scatter: scatter_time() under a model that keeps both ends busy throughout
};

inline constexpr Rank kOrderedOptimumUpTo = 128;

/// One port, as with blocking sends: a rank sends or receives one message at a time, and both ends
/// are busy for the whole t(i, j, m).
///
/// A rank with a run of blocks to hand out keeps one end of the run and sends the other, as one
/// bundle, to some rank in it; so do both then. O(P^5) time, O(P^3) memory.
/// @pre at most kOrderedOptimumUpTo participants
[[nodiscard]] OrderedOptimum ordered_optimum(const IrregularRequest& request);

}  // namespace espalier::tree
