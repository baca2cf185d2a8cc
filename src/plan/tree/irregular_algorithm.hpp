#pragma once

#include <span>
#include <string_view>

#include "topology/machine.hpp"
#include "tree/irregular.hpp"

namespace espalier::tree {

/// A builder of trees for scatterv and gatherv, under the name that CLI, reports and documents give
/// it.
struct IrregularAlgorithm {
  std::string_view name;    ///< short name: "minimum-first"
  std::string_view title;   ///< full name: "model-based binomial tree, minimum-first"
  std::string_view source;  ///< the paper, in one line
  CommTree (*build)(const IrregularRequest&, const topology::Machine&);
  Rank quick_up_to = kNoRank;  ///< most ranks for which the tree is built
  bool knows_times = true;     ///< the builder asks the cost model for t(i, j, m)
};

/// All builders for scatterv and gatherv, in the order of the documentation.
[[nodiscard]] std::span<const IrregularAlgorithm> irregular_algorithms();
/// The builder of that name, or nullptr.
[[nodiscard]] const IrregularAlgorithm* find_irregular_algorithm(std::string_view name);

}  // namespace espalier::tree
