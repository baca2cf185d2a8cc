#pragma once

#include <cstdint>
#include <functional>

#include "tree/comm_tree.hpp"

namespace espalier::tree {

struct SearchLimits {
  std::uint32_t trials = 400;  ///< number of changed trees that are compared
  std::uint64_t seed = 1;
};

/// Our own improvement of any tree: moves sub-trees to other parents, ranks into each other's
/// places and children forwards or back in their parent's order, and keeps what is not slower by
/// `time_of`. A move is drawn by the seed, so that everybody finds the same.
///
/// `time_of` is asked `trials` + 1 times; besides that O(P) a trial.
/// @post the same members; time_of(result) <= time_of(start)
[[nodiscard]] CommTree improved(const CommTree& start,
                                const std::function<Time(const CommTree&)>& time_of,
                                const SearchLimits& limits);

}  // namespace espalier::tree
