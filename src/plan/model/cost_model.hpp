#pragma once

#include <string>

#include "base/types.hpp"

namespace espalier::model {

/// What one message costs, counted from the moment its sender turns to it.
///
///   sender    |== sender_busy ==|                      may start its next message
///   receiver                 |== receiver_busy ==|     has it, may forward it
///             0                                  delivered
///
/// receiver_busy are the last moments before `delivered`; a receiver that is still busy with
/// another message then takes this one later, by as much.
struct MessageCost {
  Time sender_busy;
  Time receiver_busy;
  Time delivered;
  friend bool operator==(const MessageCost&, const MessageCost&) = default;
};

/// The time of `size` bytes from one rank to another, and how long both are busy with it.
///
/// Implementations are pure: the same arguments give the same picoseconds on every CPU, without
/// floating point. @post sender_busy, receiver_busy <= delivered
class CostModel {
 public:
  virtual ~CostModel() = default;

  /// Number of ranks it speaks of.
  [[nodiscard]] virtual Rank size() const = 0;
  /// @pre from, to < size(), from != to
  [[nodiscard]] virtual MessageCost cost(Rank from, Rank to, Bytes size) const = 0;
  /// The name in CLI and reports: "hockney", "postal".
  [[nodiscard]] virtual std::string name() const = 0;
};

}  // namespace espalier::model
