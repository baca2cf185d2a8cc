#pragma once

#include "tree/comm_tree.hpp"

namespace espalier::tree {

/// The same tree with every rank's children in reverse.
///
/// A broadcast sends to the children in the order in which a CommTree holds them; a reduction or
/// gather along the same tree is that broadcast backwards in time, so it receives the last one
/// first. This gives the one order from the other: mirrored(mirrored(t)) == t. O(members).
[[nodiscard]] CommTree mirrored(const CommTree& tree);

}  // namespace espalier::tree
