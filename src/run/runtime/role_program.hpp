#pragma once

#include "runtime/role_header.hpp"
#include "schedule/program.hpp"

namespace espalier::runtime {

/// A rank's part of a gather of blocks up a tree that it knows its own part of: bundles come from
/// the children, in the order of the tree, and go up with its own block first. A unit is a block.
/// @param roles its own sub-tree, itself first
/// @param parent kNoRank: it is the root
[[nodiscard]] schedule::Program gather_program(Roles roles, Rank parent);

}  // namespace espalier::runtime
