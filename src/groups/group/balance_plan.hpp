#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace espalier::group {

/// What one vertex of Shrink-and-Balance has to do so that none of its sub-trees is too large.
struct BalancePlan {
  struct SubtreeChange {
    Rank gives = 0;  ///< vertices that leave this sub-tree
    Rank takes = 0;  ///< vertices that come into this sub-tree
  };
  std::vector<SubtreeChange> children;  ///< one entry for each of the sizes given
  std::vector<Rank> slots;              ///< number of vertices for each new child
};

struct BalanceTask {
  std::uint32_t levels = 0;  ///< most levels of the vertex's tree, itself the first
  Rank degree = 2;
  Rank exports = 0;  ///< vertices that must leave the vertex's tree; the vertex itself stays
  Rank imports = 0;  ///< vertices that come into the vertex's tree; 0 if there are exports
};

/// Moves as few vertices as possible: each sub-tree gives what it has beyond its capacity, and what
/// must leave the whole tree besides is taken from the largest. What has to stay goes first to
/// missing children, one each, then to the smallest sub-trees, then to the missing children again.
/// @pre it fits: 1 + sizes - exports + imports <= capacity(levels)
/// @param dissolved those that shall give all they have; none, or one flag for each size
/// @pre no more than `degree` are not dissolved
[[nodiscard]] BalancePlan plan_balance(std::span<const Rank> sizes, const BalanceTask& task,
                                       const std::vector<bool>& dissolved = {});

/// Vertices that come one by one through a vertex must be few, or they take longer than O(log^2 n).
/// Where more than this would go to one missing child, a sub-tree is moved in one piece instead.
[[nodiscard]] constexpr Rank few_vertices(Rank degree) { return 4 * degree; }

}  // namespace espalier::group
