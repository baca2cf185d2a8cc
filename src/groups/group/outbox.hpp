#pragma once

#include <deque>
#include <map>

#include "group/endpoint.hpp"

namespace espalier::group {

/// A process's messages on their way to its network: those for which that has no room wait here.
///
/// So there are never more under way to one process than the network wants, and what waits is what
/// the calls of this process, and its part in passing messages on, have made: for one construction
/// O(k log n). Messages to one process leave in the order of sending.
///
/// To wait is safe: every message of a construction or a collective goes to a process whose own
/// part is not over without it, or who is on the way to such a one and stays until all are done
/// (SplitOptions::settled). So its receiver is in that call or has still to make it, and makes
/// progress there. The sender must stay in its own call as long: holds().
class Outbox : public Endpoint {
 public:
  /// @pre the network outlives it
  explicit Outbox(Endpoint& network) : network_(network) {}

  [[nodiscard]] Id self() const override { return network_.self(); }
  void send(Id to, Message message) override;
  [[nodiscard]] bool has_room(Id to) const override;
  void refuse_call() override { network_.refuse_call(); }

  /// Sends what waits, as far as there is room.
  void pump();
  /// Whether messages of a construction or group wait.
  [[nodiscard]] bool holds(Tag tag) const { return by_tag_.contains(tag); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const;

 private:
  Endpoint& network_;
  std::map<Id, std::deque<Message>> waiting_;
  std::map<Tag, std::size_t> by_tag_;  // number of waiting messages of each tag; absent: none
  std::size_t size_ = 0;
};

}  // namespace espalier::group
