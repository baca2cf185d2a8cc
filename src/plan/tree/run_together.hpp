#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/cost_model.hpp"
#include "tree/comm_tree.hpp"

namespace espalier::tree {

/// One message of one multicast, among several that share the machine.
struct SharedSend {
  std::uint32_t multicast = 0;
  Rank from = 0;
  Rank to = 0;
  Time start;        ///< moment at which the sender turns to the message
  Time sender_free;  ///< moment at which the sender may turn to its next message, of any multicast
  Time delivered;    ///< moment at which the receiver has the message
  friend auto operator<=>(const SharedSend&, const SharedSend&) = default;
};

/// What became of several multicasts run at once.
struct SharedRun {
  std::vector<Time> finish;       ///< [multicast] time at which its last member has the message
  std::vector<SharedSend> sends;  ///< by_start(); a rank receives before it sends on
  friend bool operator==(const SharedRun&, const SharedRun&) = default;
};

/// The order of SharedRun::sends: by start, then multicast, then ranks. Of one multicast, messages
/// that take no time come before others of that moment, and are equal here: which of them leads to
/// which is told by the order in which they were found.
[[nodiscard]] bool by_start(const SharedSend& a, const SharedSend& b);

/// When the last multicast is over.
[[nodiscard]] Time last_finish(const SharedRun& run);

/// Several multicasts, all starting at time 0 along a tree each, on the same nodes.
///
/// A node does one send at a time and one receive at a time, whichever multicasts they belong to
/// (it may send while it receives). Sends are done first come, first served: once a rank has a
/// message, its sends to its children queue up behind those of messages that it had before. Of two
/// messages at the same moment the multicast with the lower number comes first. A message that
/// arrives while its receiver is receiving another waits for it.
/// @pre all trees have model.size() ranks; all messages are `size` bytes
///
/// O(S log S) for S sends in all.
[[nodiscard]] SharedRun run_together(std::span<const CommTree> trees, const model::CostModel& model,
                                     Bytes size);

}  // namespace espalier::tree
