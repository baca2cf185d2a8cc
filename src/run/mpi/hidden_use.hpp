#pragma once

#include <memory>

#include "mpi/counted_trees.hpp"
#include "mpi/executor.hpp"
#include "mpi/hidden_comm.hpp"
#include "mpi/joining.hpp"
#include "mpi/memory_use.hpp"
#include "mpi/tracer.hpp"

namespace espalier::mpi {

/// Of the hidden communicators of this process.
[[nodiscard]] ChannelOptions channel_options(const runtime::Settings& settings);

/// The hidden communicator of one of the program's, and what planned calls run on once it is there:
/// the executor, memory that the members share, trees by counts, the log of a trace.
///
/// After a failed planned call messages may be left on the hidden communicator, which must not meet
/// calls with the same tags: it is abandoned instead of freed, and its share is lost.
class HiddenUse {
 public:
  HiddenUse(const UserComm& user, const World& world, HiddenShare& share)
      : user_(user),
        world_(world),
        joining_(user.handle, world, share),
        memory_(world, share.memory) {}

  [[nodiscard]] Joining& joining() { return joining_; }
  /// MPI_COMM_NULL: there is none.
  [[nodiscard]] MPI_Comm comm() const { return joining_.hidden(); }
  /// Makes what planned calls run on. Collective. @pre joining() has answered There
  /// @return whether plans that were made before still hold
  [[nodiscard]] bool make(GroupPlans& group);
  [[nodiscard]] bool is_made() const { return executor_ != nullptr; }
  /// Takes down what was made, but the log. What MPI may still use stays in memory.
  void leave();

  // @pre is_made(), for those below
  [[nodiscard]] Executor& executor() { return *executor_; }
  [[nodiscard]] Channel& channel() { return executor_->channel(); }
  [[nodiscard]] SelfLane self() const { return executor_->channel().self(); }
  /// @param machine the same until forget_trees()
  [[nodiscard]] CountedTrees& counted_trees(const topology::Machine& machine);
  /// Whether a call failed on some rank, and its tags are about to come again. The same on all, who
  /// ask before each call that blocks and would be planned.
  [[nodiscard]] bool has_failed_somewhere() {
    channel().wait_to_begin(channel().calls());
    if (!channel().has_failed_somewhere()) return false;
    has_failed_ = true;  // on other ranks: messages may come to this one too
    channel().end_paces();
    return true;
  }

  [[nodiscard]] MemoryUse& memory() { return memory_; }
  /// All members do this before the same call.
  void forget_trees() { counted_trees_.reset(); }
  /// A planned call failed, or the others ran one without this rank.
  void mark_failed();
  [[nodiscard]] bool has_failed() const { return has_failed_; }
  /// Whether MPI may still read or write the memory of the last call, which failed.
  [[nodiscard]] bool left_messages() const { return is_made() && executor_->left_messages(); }
  /// Of the channel, also once it is gone.
  [[nodiscard]] const ChannelCounts& counts() const {
    return is_made() ? executor_->channel().counts() : counts_before_;
  }
  /// Where calls are taken down (ESPALIER_TRACE); nullptr: nowhere.
  [[nodiscard]] CommunicatorLog* trace_log() const { return trace_log_; }

 private:
  UserComm user_;
  const World& world_;
  Joining joining_;  // owns the hidden communicator
  std::unique_ptr<Executor> executor_;
  MemoryUse memory_;                             // uses executor_
  std::unique_ptr<CountedTrees> counted_trees_;  // uses executor_; made at its first use
  CommunicatorLog* trace_log_ = nullptr;         // the tracer's
  ChannelCounts counts_before_;                  // of a channel that is gone
  bool has_failed_ = false;
};

}  // namespace espalier::mpi
