#pragma once

#include "tree/comm_tree.hpp"
#include "tree/participants.hpp"

namespace espalier::tree {

/// What a message costs where all links and nodes are alike (the postal model): its sender may go
/// on after `sender_busy`, its receiver has it after `delivered`. lambda = delivered / sender_busy.
struct PostalCosts {
  Time sender_busy;
  Time delivered;
};

/// The generalised Fibonacci tree: everybody who has the message keeps sending it.
///
/// Proven optimal for one message in one piece on equal links; lambda = 1 takes the binomial tree's
/// time, a large lambda makes it flatter.
/// @pre  0 <= sender_busy <= delivered
/// @post spans the participants; no tree is faster under these costs
///
/// O(P log P). Of two senders that are free at once the one with the lower position sends first.
[[nodiscard]] CommTree postal_optimal(const Participants& who, const PostalCosts& costs);

}  // namespace espalier::tree
