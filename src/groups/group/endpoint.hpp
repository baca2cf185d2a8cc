#pragma once

#include <optional>

#include "group/group_view.hpp"
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
  /// Two members' calls on a group differ: the program is wrong, and the call never ends. Throws
  /// ContractViolation where nobody has another answer.
  virtual void refuse_call();
};

/// Sends a message to a rank of a group: at once where the id is known, else on a way of several
/// hops, wrapped as a Relay in the group's own name. Who is on that way need not know of what is
/// inside: it passes relays on as long as it is in the group, whatever it is done with.
void send_routed(const GroupView& group, Rank target, Message message, Endpoint& endpoint);

/// Passes a Relay on. @return the message inside, if it has arrived here
std::optional<Message> take_relay(const GroupView& group, const Message& relay, Endpoint& endpoint);

}  // namespace espalier::group
