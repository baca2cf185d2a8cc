#pragma once

#include <deque>
#include <memory>
#include <utility>

#include "mpi/block_payload.hpp"
#include "mpi/element_payload.hpp"
#include "mpi/role_run.hpp"

namespace espalier::mpi {

/// Runs the planned calls of one communicator to their ends, one after the other, on one channel.
/// Each run takes the number of a call and returns an MPI error code.
class Executor {
 public:
  Executor(MPI_Comm comm, int rank, int size, runtime::Tags tags, const ChannelOptions& options)
      : channel_(comm, rank, size, tags, options), elements_(channel_), execution_(channel_) {}

  [[nodiscard]] int run(const ElementCall& call) {
    const std::uint64_t number = channel_.take_number();
    if (is_short(call) && channel_.is_idle()) {
      return run_short(channel_, call, number, left_messages_);
    }
    elements_.take(call, number);
    execution_.begin(*call.program, elements_, number, call.signature);
    const int code = execution_.finish();
    left_messages_ = execution_.left_messages();
    return code;
  }
  /// A block that is longer than the user's place for it is an error, but found out only after
  /// everything was passed on.
  [[nodiscard]] int run_blocks(const runtime::PreparedProgram& program, BlockBuffers buffers,
                               std::uint64_t signature) {
    auto payload = std::make_unique<BlockPayload>(program, std::move(buffers), channel_.self());
    execution_.begin(program, *payload, channel_.take_number(), signature);
    int code = execution_.finish();
    if (code == MPI_SUCCESS && payload->overflowed()) code = MPI_ERR_TRUNCATE;
    if (execution_.left_messages()) abandoned_.push_back(std::move(payload));
    return code;
  }
  /// Takes a run of roles that has ended: MPI may still use its memory, if it failed.
  void keep(std::unique_ptr<RoleRun> run) {
    if (run->left_messages()) abandoned_roles_.push_back(std::move(run));
  }

  /// Takes down whether messages of a call that ran on this channel otherwise, and failed, may
  /// still be under way.
  void note_left_messages(bool are_left) { left_messages_ = are_left; }

  /// The others run a call without this rank, which counts it to stay in step.
  void skip_call() { channel_.take_number(); }
  /// Whether messages of the last element call, which failed, may still be under way: its memory
  /// must stay.
  [[nodiscard]] bool left_messages() const { return left_messages_; }
  /// Whether it keeps what MPI may still read.
  [[nodiscard]] bool holds_abandoned() const {
    return left_messages_ || !abandoned_.empty() || !abandoned_roles_.empty();
  }
  [[nodiscard]] Channel& channel() { return channel_; }
  [[nodiscard]] const Channel& channel() const { return channel_; }

 private:
  Channel channel_;
  ElementPayload elements_;
  bool left_messages_ = false;
  /// Payloads of calls that failed, which MPI may still read.
  std::deque<std::unique_ptr<Payload>> abandoned_;
  std::deque<std::unique_ptr<RoleRun>> abandoned_roles_;
  Execution execution_;
};

}  // namespace espalier::mpi
