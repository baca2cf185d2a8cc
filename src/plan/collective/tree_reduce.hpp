#pragma once

#include "collective/links.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

/// The mirror of tree_broadcast: contributions come up the tree and are combined on the way.
///
/// This rank contributes `own`; at the root the result is in `result` afterwards. An inner rank
/// that has no user buffer for it combines in scratch. Received segments wait in a few slots a
/// child, so memory does not grow with the number of children times the message. For operations
/// that commute: what a sub-tree combines is in the order of arrival of the tree, the same on every
/// run.
/// @param result where to combine: Out, or nothing (length 0) at a rank that has none
/// @pre own and result are plain slices; result.length is own.length or 0
void tree_reduce(schedule::ProgramBuilder& program, const Links& links, const schedule::Region& own,
                 schedule::Region result);

}  // namespace espalier::collective
