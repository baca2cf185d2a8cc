#pragma once

#include "tree/nearest_free.hpp"

namespace espalier::tree {

/// A binomial tree whose places are given to ranks by predicted times.
///
/// The shape is that of binomial(): the greatest sub-tree is sent to first. Places are filled depth
/// first, of each rank's sub-trees the smallest first; each takes the free rank with the least or
/// greatest t(parent, i, m_i). Ties go to the lower rank.
///
/// O(P log P) for each kind of rank (IrregularRequest::kinds).
/// @post spans the participants
[[nodiscard]] CommTree model_binomial(const IrregularRequest& request, Mapping mapping);

}  // namespace espalier::tree
