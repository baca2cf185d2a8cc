#pragma once

#include <vector>

#include "collective/aggregated_alltoall.hpp"
#include "collective/multilevel.hpp"
#include "schedule/collective.hpp"
#include "schedule/program.hpp"

namespace espalier::collective {

/// What the masters of the outermost clusters do in an operation without a root.
enum class Top : std::uint8_t {
  Tree,      ///< one tree, up to a master and down again: 2(S-1) messages, two latencies
  Exchange,  ///< every master with every other: S(S-1) messages, one latency
};

/// A multilevel plan for any operation: how each level works and how the outermost one does.
struct MultilevelChoice {
  std::vector<LevelChoice> levels;
  Top top = Top::Tree;
  Carriers carriers = {};  ///< alltoall only, which uses nothing else of this plan
  friend bool operator==(const MultilevelChoice&, const MultilevelChoice&) = default;
};

/// This rank's own part of the call, level by level. Operations that do not commute keep rank
/// order, also where ranks are scattered over the clusters.
/// @pre one level choice for each level of the machine
[[nodiscard]] schedule::Program multilevel_program(const Hierarchy& hierarchy,
                                                   const MultilevelChoice& choice,
                                                   const schedule::Collective& call, Rank rank);

}  // namespace espalier::collective
