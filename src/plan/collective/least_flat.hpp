#pragma once

#include "collective/hierarchy.hpp"
#include "collective/multilevel.hpp"
#include "collective/partition.hpp"
#include "cost/least_rounds.hpp"
#include "schedule/collective.hpp"

namespace espalier::collective {

/// What lower bounds of classical algorithms stand on: the counterpart of FlatEstimate, which each
/// algorithm fills in with the same words (rounds, trees, rings). O(log ranks) each.
struct LeastFlat {
  /// @pre more than one rank
  /// @param shares messages share links with those of other ranks: then what algorithms tell is no
  ///               bound, but about their estimates
  LeastFlat(const Hierarchy& hierarchy, const schedule::Collective& of, RankOrder order,
            bool shares = false);

  const cost::LeastCosts& costs;
  const schedule::Collective& call;
  double bytes;  ///< bytes of the vector or of a block
  double size;
  cost::LeastRounds rounds;
  bool is_along;                     ///< positions lie in the order of the machine's leaves
  Rank outermost;                    ///< fewest ranks of a member of the whole machine
  bool is_aligned;                   ///< MachineShape::is_aligned
  bool is_regular;                   ///< MachineShape::is_regular
  const topology::Machine* machine;  ///< positions are its ranks, from the root on; null: no
  Rank largest;                      ///< most ranks of a member of the whole machine
  bool shares;
};

/// The same for messages of another length.
[[nodiscard]] LeastFlat with_bytes(LeastFlat at, double bytes);

/// The least time that a vector takes down a tree over all positions, from the first on. Shapes of
/// a radix (Shape::Binomial, ...), Flat and Chain.
/// @param segment bytes of a message; 0: whole
[[nodiscard]] cost::Picos least_down(const LeastFlat& at, Shape shape, double segment);
/// The same up the tree.
/// @param combines what comes is combined with something of the same size
[[nodiscard]] cost::Picos least_up(const LeastFlat& at, Shape shape, double segment,
                                   bool combines = true);
/// The bundles of a sub-tree each along a binomial tree, down or up.
[[nodiscard]] cost::Picos least_bundles(const LeastFlat& at, double block, bool downwards);
/// Of all_combine().
[[nodiscard]] cost::Picos least_all_combine(const LeastFlat& at, double bytes);
/// Of pairwise().
[[nodiscard]] cost::Picos least_pairwise(const LeastFlat& at, bool combines);
/// Of scans and exscans by recursive doubling, and along a binomial tree.
[[nodiscard]] cost::Picos least_doubling_scan(LeastFlat& at);
[[nodiscard]] cost::Picos least_binomial_scan(LeastFlat& at);

}  // namespace espalier::collective
