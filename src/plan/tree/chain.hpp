#pragma once

#include "tree/comm_tree.hpp"
#include "tree/participants.hpp"

namespace espalier::tree {

/// Everybody passes the message on to the next of `who.others`.
///
/// Each rank sends once; P - 1 messages deep, so it is a tree for long messages in many segments.
/// O(P).
/// @post spans the participants; height P - 1
[[nodiscard]] CommTree chain(const Participants& who);

}  // namespace espalier::tree
