#pragma once

#include "group/message.hpp"

namespace espalier::group {

/// Where a process sends its active messages; all that the protocols know of a network.
///
/// Nothing is promised about order: two messages between the same processes may overtake each
/// other. Sending never waits and never calls back: what arrives is handed to the process's
/// receive() by whoever makes progress (the simulator, a test's scheduler, or a process polling its
/// network), one message at a time. So an implementation needs no thread, and as many posted
/// receives as it likes.
class Endpoint {
 public:
  virtual ~Endpoint() = default;
  [[nodiscard]] virtual Id self() const = 0;
  /// @param message `from` need not be set
  virtual void send(Id to, Message message) = 0;
  /// Whether messages for this process should be given to it now. If not, they stay where they are
  /// until Process::pump().
  [[nodiscard]] virtual bool has_room(Id) const { return true; }
};

}  // namespace espalier::group
