#pragma once

#include "tree/comm_tree.hpp"
#include "tree/participants.hpp"

namespace espalier::tree {

/// The root sends to everybody itself, in the order of `who.others`.
///
/// One message deep, P - 1 sends one after the other. O(P).
/// @post spans the participants; height 1 (0 for the root alone)
[[nodiscard]] CommTree flat(const Participants& who);

}  // namespace espalier::tree
