#pragma once

#include <span>

#include "collective/multilevel.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

/// Alltoall in which what goes to other outermost clusters comes up the multilevel tree of its
/// cluster to the master, crosses as one bundle for each pair of clusters, and goes down the tree
/// there. Within an outermost cluster everybody sends to everybody.
///
/// As aggregated_alltoall with one leader, but level by level: a node's processes send one bundle
/// over the node's link, not one each. A master has as many messages as its tree has children,
/// whatever the number of ranks.
///
/// Across: S (S - 1) bundles, each block once. Sent a rank: its sub-tree's blocks for other
/// clusters, up and down. Scratch: the same.
/// @param choices a shape for each level; segments mean nothing here
/// @param block units of a block; In and Out have one for each rank
void multilevel_alltoall(schedule::ProgramBuilder& program, const Hierarchy& hierarchy,
                         std::span<const LevelChoice> choices, std::uint64_t block);

}  // namespace espalier::collective
