#pragma once

#include <cstdint>

#include "base/types.hpp"
#include "tree/comm_tree.hpp"

namespace espalier::tuning {

/// The trees that MPI libraries send along. All count ranks from the root on and around, and know
/// nothing of the machine. They differ in whose sub-trees are neighbours by number, which decides
/// how often messages cross between hosts when ranks are placed in blocks.
enum class NativeTree : std::uint8_t {
  Flat,
  Chains,           ///< Open MPI's chain: `fan` chains of neighbours hang at the root
  StridedKary,      ///< Open MPI's binary: `fan` children, at distances of a whole level
  StridedBinomial,  ///< Open MPI's binomial of broadcasts: children at 1, 2, 4, ...
  Binomial,         ///< sub-trees are neighbours: MPICH's, and Open MPI's of reductions
  Knomial,          ///< the same of radix `fan`
  Kary,             ///< MPICH's: position p sends to fan p + 1, ..., fan p + fan
};

/// @pre root < size; fan >= 1 where the tree has one, and >= 2 for Knomial
[[nodiscard]] tree::CommTree native_tree(NativeTree kind, Rank size, Rank root, Rank fan);

}  // namespace espalier::tuning
