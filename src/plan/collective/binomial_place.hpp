#pragma once

#include <vector>

#include "base/types.hpp"

namespace espalier::collective {

/// A position's place in the binomial tree over 0 .. size-1 whose root is 0: below position v hang
/// the positions [v, v + span), so a sub-tree's blocks are neighbours.
struct BinomialPlace {
  struct Child {
    Rank position = 0;
    Rank span = 0;
  };
  Rank span = 0;
  Rank parent = kNoRank;        ///< kNoRank: this is the root
  std::vector<Child> children;  ///< largest span first, the order of a broadcast or scatter
};

/// O(log size). @pre position < size
[[nodiscard]] BinomialPlace binomial_place(Rank position, Rank size);

}  // namespace espalier::collective
