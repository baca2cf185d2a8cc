#pragma once

#include <span>

#include "topology/machine.hpp"

namespace espalier::topology {

/// What each message costs a process, whatever its length.
struct MessageCost {
  Rank rank = 0;
  Time each;  ///< fixed cost of sending, and of receiving
  friend bool operator==(const MessageCost&, const MessageCost&) = default;
};

/// The same machine with other fixed costs of messages at some of its processes. The last entry
/// of a rank counts. O(processes).
/// @pre the ranks are the machine's
[[nodiscard]] Machine with_message_costs(const Machine& machine,
                                         std::span<const MessageCost> costs);

}  // namespace espalier::topology
