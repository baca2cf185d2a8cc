#pragma once

#include "topology/machine.hpp"
#include "tree/irregular.hpp"

namespace espalier::tree {

/// How a clustered tree is put together.
struct Clustering {
  /// Of each outermost cluster but the root's: so many ranks get a share of its blocks each, in
  /// messages of their own. One message uses a link once; where single flows are capped (a TCP
  /// window), several at a time use more of it.
  Rank carriers = 1;
  bool trees_inside = false;  ///< model_traeff() among the ranks of an innermost cluster, else flat
  friend bool operator==(const Clustering&, const Clustering&) = default;
};

/// The multilevel tree for blocks of unequal lengths: what goes to another cluster is sent to one
/// rank there (or `carriers` of them), who hands it out by the same rule. Outer levels are sent to
/// first (WAN first), on each level those whose bundles arrive last. Who carries a share is who
/// gets all of it soonest; shares have about the same bytes.
///
/// O(P log P + P depth). Ties go to the longer block, then the lower rank.
/// @pre the machine has as many processes as the model has ranks
/// @post spans the participants
[[nodiscard]] CommTree clustered(const IrregularRequest& request, const topology::Machine& machine,
                                 const Clustering& how);

}  // namespace espalier::tree
