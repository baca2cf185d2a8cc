#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "mpi/pending_call.hpp"

namespace espalier::mpi {

/// The planned calls of one communicator that do not block. They begin in the order of their
/// starts. At most half as many as tags tell apart are on the wire at once (Channel); later ones
/// wait here.
class PendingCalls {
 public:
  explicit PendingCalls(Channel& channel) : channel_(channel) {}
  PendingCalls(const PendingCalls&) = delete;
  PendingCalls& operator=(const PendingCalls&) = delete;

  /// Starts a call, whose plan and payload are set. Never waits.
  /// @param call nullptr: the others run one without this rank, which counts it to stay in step,
  /// and tells them
  void start(std::unique_ptr<PendingCall> call);
  /// Does something between the calls that were started before and those that are started later,
  /// when these have begun. Never waits. All ranks do so at the same place.
  /// @param between what all ranks do in one order, as a collective on the hidden communicator
  void do_in_order(std::function<void()> between);
  /// Goes on with some of those under way, others each time, and begins those that may.
  /// @param most how many, at most
  /// @return whether something happened
  bool step(std::size_t most);

  /// Whether the oldest one would wait for ever, since ranks make different calls: then it ends
  /// with an error in the next step. Later ones are looked at when they are the oldest.
  void look_for_mismatch();

  [[nodiscard]] bool is_idle() const { return queued_.empty() && under_way_.empty(); }
  /// Whether all are on the wire, and a call that blocks may take the next number.
  [[nodiscard]] bool may_block() const {
    return queued_.empty() && channel_.is_in_window(channel_.calls());
  }
  /// Leaves all to the process: MPI may still use their memory. They never end.
  void abandon();

 private:
  void begin_queued();
  void end(std::unique_ptr<PendingCall> call);

  Channel& channel_;
  struct Queued {
    std::uint64_t number = 0;
    std::unique_ptr<PendingCall> call;  // nullptr: one that is skipped
    std::function<void()> between = {};
  };
  std::deque<Queued> queued_;
  std::vector<std::unique_ptr<PendingCall>> under_way_;
  std::size_t next_ = 0;  // first one that the next step looks at
};

}  // namespace espalier::mpi
