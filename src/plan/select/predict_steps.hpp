#pragma once

#include <span>
#include <vector>

#include "select/flows.hpp"
#include "select/rounds.hpp"
#include "select/whole_tree.hpp"

namespace espalier::select {

/// The rounds of the classical algorithms among any ranks in any order, as collective/ builds them
/// over a Participants: each moves the clocks of its members on.

/// Member a sends `bytes(a, mask)` to a ^ mask, for mask = 1, 2, 4, ... or down;
/// other numbers of members fold their pairs in before, with messages of `folded` bytes.
struct Butterfly {
  bool rising = true;  ///< whether the nearest partner comes first
  bool combines = false;
  double fold_in = 0;  ///< bytes that a folded member sends first; 0: no folding
  double fold_out = 0;
};
void butterfly(Rounds& rounds, std::span<const Rank> members, const Butterfly& how,
               const std::function<double(Rank active, Rank mask)>& bytes);

/// A reduce-scatter of blocks of `block` bytes by halving: one way meets the farthest partner first
/// and gives it a range of blocks, the other (rising) the nearest and gives every 2nd, 4th, ...
void halving(Rounds& rounds, std::span<const Rank> members, bool rising, double block);

/// Bruck's and dissemination's: to position + 2^k, all the way round.
void dissemination(Rounds& rounds, std::span<const Rank> members,
                   const std::function<double(Rank distance)>& bytes);

/// Everybody with the member `step` further, step after step.
void pairwise(Rounds& rounds, std::span<const Rank> members, double bytes, bool combines);

/// Blocks of `block` bytes that travel along a tree as bundles, one message for each sub-tree.
/// O(ranks) each.

/// When each rank has the bundle of its sub-tree. Of the roots: when they have all.
[[nodiscard]] std::vector<Picos> gather_times(const CostView& cost_view, const WholeTree& tree,
                                              double block);
[[nodiscard]] Picos gather_time(const CostView& cost_view, const WholeTree& tree, double block);
/// When each rank has its sub-tree's bundle, if the roots have theirs from the start.
[[nodiscard]] std::vector<Picos> scatter_times(const CostView& cost_view, const WholeTree& tree,
                                               double block);
[[nodiscard]] Picos scatter_time(const CostView& cost_view, const WholeTree& tree, double block);

/// Several bundles down all trees, one message each, in their order.
/// @param roots the trees' roots; here[i][b]: when root i has bundle b of sizes[b] bytes
[[nodiscard]] Picos bundles_down_time(const CostView& cost_view, const WholeTree& tree,
                                      std::span<const Rank> roots, std::span<const double> sizes,
                                      std::span<const std::vector<Picos>> here);

}  // namespace espalier::select
