#pragma once

#include <span>
#include <vector>

#include "collective/ordered_reduce.hpp"

namespace espalier::collective {

// The reference order of reductions (docs/reproducible.md): one binary tree over the ranks,
// whatever the machine. Block (k, i) is the ranks from i 2^k up to, but without, (i + 1) 2^k, as
// far as there are so many. Its value is that of its left half (k - 1, 2 i) combined with that of
// its right half (k - 1, 2 i + 1), or the left one's alone if no rank is in the right one; a single
// rank's is its contribution. The result of ranks 0 .. P - 1 is that of the least block that holds
// them all.
//
//   P = 7:  ((0 1) (2 3)) ((4 5) 6)
//
// Only whole blocks are ever combined, so a cluster may combine the blocks that lie within it.

/// The greatest blocks that lie within a set of ranks, in rank order. O(n log size).
/// @pre ranks are sorted, each stands once, all are below size
[[nodiscard]] std::vector<RankRun> blocks_within(std::span<const Rank> ranks, Rank size);

/// What rank r needs of others for the result of ranks 0 .. r, in the same order: the left
/// neighbours of the blocks around it, one for each bit of r that is set, the smallest first.
///
///   b_m ... b_1 with r's own:  b_m (... (b_2 (b_1 r)))
[[nodiscard]] std::vector<RankRun> blocks_before(Rank rank);

/// The blocks that ranks of a set need and that do not lie within the set, in rank order.
/// @pre as for blocks_within
[[nodiscard]] std::vector<RankRun> blocks_from_outside(std::span<const Rank> ranks);

/// A step of combining: value `left` (op) value `right`.
struct CombineStep {
  std::size_t left = 0;
  std::size_t right = 0;
  RankRun block;  ///< ranks whose contributions the value holds
};

/// How the pieces at hand become the greatest blocks. The value of piece p is number p, that of
/// step s number pieces.size() + s; blocks[b] is value of_block[b].
struct BlockPlan {
  std::vector<CombineStep> steps;
  std::vector<RankRun> blocks;
  std::vector<std::size_t> of_block;
};

/// @pre pieces are blocks, the greatest within the sets of ranks that they came from, and disjoint
[[nodiscard]] BlockPlan plan_blocks(std::span<const RankRun> pieces, Rank size);

}  // namespace espalier::collective
