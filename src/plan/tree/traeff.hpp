#pragma once

#include "tree/irregular.hpp"

namespace espalier::tree {

/// Traeff's tree for blocks of unequal lengths on equal links: the ranks are sorted by the length
/// of their blocks, the longest first, and cut into subsets of about the same sum, so that long
/// blocks are sent straight to their rank and short ones many together. The first of each subset,
/// who has the longest block and so the least to pass on, is the child; each subset goes on alike.
///
/// How many subsets there are, the sources at hand do not say. Ours: ceil(log2(n + 1)) of n ranks,
/// as many as a binomial tree has children, which it becomes where all blocks are alike. Children
/// with more ranks below them are sent to first. O(P log P). Ties go to the lower rank.
/// @post spans the participants
[[nodiscard]] CommTree traeff(const IrregularRequest& request);

/// The same by predicted times: sorted by t(parent, i, m_i), cut into subsets of about the same sum
/// of them, and in each the child is the one to whom the parent gets all bytes of the subset in the
/// least time. Both are done anew for each parent. O(P log^2 P).
[[nodiscard]] CommTree model_traeff(const IrregularRequest& request);

}  // namespace espalier::tree
