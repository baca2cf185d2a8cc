#pragma once

#include "profile/profile.hpp"

namespace espalier::profile {

/// Appends the actions of one process, loops as blocks.
class TraceWriter {
 public:
  explicit TraceWriter(std::vector<Action>& actions) : actions_(actions) {}

  void compute(Time takes) {
    if (takes == Time{}) return;
    Action a;
    a.takes = takes;
    actions_.push_back(a);
  }
  void send(Rank to, std::uint64_t bytes) { message(ActionKind::Send, to, bytes); }
  void recv(Rank from, std::uint64_t bytes) { message(ActionKind::Recv, from, bytes); }
  /// A receive is posted, or a send waited for; only long messages need it.
  void post(Rank from, std::uint64_t room) {
    if (room >= kMarkedBytes) message(ActionKind::Post, from, room);
  }
  void sent(Rank to, std::uint64_t bytes) {
    if (bytes >= kMarkedBytes) message(ActionKind::Sent, to, bytes);
  }
  /// As MPI_Send.
  void blocking_send(Rank to, std::uint64_t bytes) {
    send(to, bytes);
    sent(to, bytes);
  }
  /// Both ways at once, as MPI_Sendrecv.
  void exchange(Rank with, std::uint64_t bytes) {
    post(with, bytes);
    send(with, bytes);
    recv(with, bytes);
    sent(with, bytes);
  }
  void collective(schedule::Operation operation, std::uint64_t bytes, Rank root = 0) {
    Action a;
    a.kind = ActionKind::Collective;
    a.operation = operation;
    a.bytes = bytes;
    a.peer = root;
    actions_.push_back(a);
  }
  /// What `body` appends, so many times; nothing if it appends nothing.
  template <typename Body>
  void loop(std::uint64_t times, Body body) {
    const std::size_t at = actions_.size();
    Action a;
    a.kind = ActionKind::Loop;
    a.times = times;
    actions_.push_back(a);
    body();
    actions_[at].body = static_cast<std::uint32_t>(actions_.size() - at - 1);
    if (actions_[at].body == 0 || times == 0) actions_.resize(at);
  }

 private:
  void message(ActionKind kind, Rank peer, std::uint64_t bytes) {
    Action a;
    a.kind = kind;
    a.peer = peer;
    a.bytes = bytes;
    actions_.push_back(a);
  }
  std::vector<Action>& actions_;
};

}  // namespace espalier::profile
