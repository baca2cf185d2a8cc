#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mpi/progress_engine.hpp"
#include "mpi/world.hpp"
#include "runtime/class_policy.hpp"
#include "runtime/explain.hpp"
#include "runtime/start_trials.hpp"

namespace espalier::mpi {

/// The calls of one communicator that do not block: those under way, and the trials by which some
/// go along plans (docs/adr/0038-measured-non-blocking-calls.md).
class Starts {
 public:
  Starts(MPI_Comm comm, const World& world, ProgressEngine& progress)
      : comm_(comm), world_(world), progress_(progress) {}

  /// Makes what the first call that may go along a plan needs. Local.
  void begin(Channel& channel);
  [[nodiscard]] bool have_begun() const { return pending_ != nullptr; }
  /// What a call that blocks does before it is planned. May be collective over `hidden`.
  void before_blocking(MPI_Comm hidden);
  /// Waits until a call that blocks may take the next number.
  void let_block();
  /// Likewise, unless it may already.
  void let_block_if_it_must() {
    if (pending_ != nullptr && !pending_->may_block()) let_block();
  }

  /// Which plan a start goes along; absent: native. Local, and counts no call that blocks.
  /// @pre have_begun()
  [[nodiscard]] std::optional<select::WhichPlan> which(const runtime::SharedCall& call,
                                                       const runtime::ClassPolicy& policy,
                                                       MPI_Comm hidden);
  /// Why the call is native, if it is. Whoever starts a call sets it before, for calls that do not
  /// come so far.
  runtime::Reason why_native = runtime::Reason::NonBlocking;

  /// Starts a call along a plan. Never waits.
  /// @param fail is called if it fails
  /// @return MPI's code; after an error there is no request, and the others run the call without
  /// this rank
  [[nodiscard]] int start(std::unique_ptr<PendingCall> call, Channel& channel, MPI_Request* request,
                          std::function<void()> fail);
  /// Whether the call that which() was asked for last is to be started natively and timed: adopt()
  /// its request then.
  [[nodiscard]] bool times_native() const { return timed_.trial != nullptr && !timed_.is_planned; }
  /// Takes the request of a native call whose times are wanted, and gives the program one of ours.
  /// @pre times_native()
  void adopt(MPI_Request* request, const Channel& channel);
  /// Nobody starts the call that which() was asked for last.
  void drop();
  /// The others run a call without this rank, which stays in step. @pre have_begun()
  void skip() { progress_.start(*pending_, nullptr); }
  /// Waits for the calls under way. If nothing happens for so many seconds, leaves them behind.
  /// @return whether all have ended
  [[nodiscard]] bool finish(double patience);

  /// Trials begin again. @pre what they agree on is under way: let_block_if_it_must()
  void forget_trials() { trials_.forget(); }
  [[nodiscard]] std::vector<runtime::StartRecord> records(const std::string& communicator) const {
    return trials_.records(communicator);
  }
  /// The channel goes.
  void leave() { pending_.reset(); }

 private:
  MPI_Comm comm_;
  const World& world_;
  ProgressEngine& progress_;
  std::unique_ptr<PendingCalls> pending_;  // uses the communicator's channel
  runtime::StartTrials trials_;
  TimedStart timed_;  // of the call that is about to start; no trial: nobody wants its times
};

}  // namespace espalier::mpi
