#pragma once

#include <memory>
#include <optional>

#include "mpi/class_plans.hpp"
#include "mpi/progress_engine.hpp"

namespace espalier::mpi {

/// The calls of one communicator that do not block: which of them go along plans, by trials of
/// their own (docs/adr/0038-measured-non-blocking-calls.md), and those under way.
class Starts {
 public:
  /// @param hidden,plans of the same communicator; must outlive it
  Starts(MPI_Comm comm, const World& world, ProgressEngine& progress, HiddenUse& hidden,
         ClassPlans& plans)
      : comm_(comm), world_(world), progress_(progress), hidden_(hidden), plans_(plans) {}

  /// Whether a call that may go along a plan was started.
  [[nodiscard]] bool have_begun() const { return pending_ != nullptr; }
  /// What a call that blocks does before it is planned. May be collective over the hidden
  /// communicator.
  void before_blocking();
  /// Waits until a call that blocks may take the next number.
  void let_block();
  /// Likewise, unless it may already.
  void let_block_if_it_must() {
    if (pending_ != nullptr && !pending_->may_block()) let_block();
  }

  /// Why no start is planned here, if it is so. Local.
  /// @param never why no call at all is planned, if it is so
  [[nodiscard]] runtime::Reason why_none(std::optional<runtime::Reason> never) const;
  /// The plan of a call that is about to start; nullptr: native. Local, and counts no call that
  /// blocks: what it depends on changes only inside those. So all members get the same answer for
  /// the same call, if the calls on this communicator, of both kinds, are in the same order.
  /// @pre some call may be planned here
  [[nodiscard]] std::shared_ptr<const runtime::CachedPlan> plan(runtime::PlanKey key);
  /// Why the call is native, if it is. Whoever starts a call sets it before, for calls that do not
  /// come so far.
  runtime::Reason why_native = runtime::Reason::NonBlocking;

  /// Starts a call along a plan. Never waits.
  /// @return MPI's code; after an error there is no request, and the others run the call without
  /// this rank
  [[nodiscard]] int start(std::unique_ptr<PendingCall> call, MPI_Request* request);
  /// Whether the call that plan() was asked for last is to be started natively and timed: adopt()
  /// its request then.
  [[nodiscard]] bool times_native() const { return timed_.trial != nullptr && !timed_.is_planned; }
  /// Takes the request of a native call whose times are wanted, and gives the program one of ours.
  /// @pre times_native()
  void adopt(MPI_Request* request);
  /// Nobody starts the call that plan() was asked for last.
  void drop();
  /// The others run a call without this rank, which stays in step. @pre have_begun()
  void skip();
  /// Waits for the calls under way, before the communicator goes. If nothing happens for so many
  /// seconds, leaves them behind.
  void finish(double patience);
  /// The channel goes.
  void leave() { pending_.reset(); }

 private:
  [[nodiscard]] std::optional<select::WhichPlan> which(const runtime::SharedCall& call);

  MPI_Comm comm_;
  const World& world_;
  ProgressEngine& progress_;
  HiddenUse& hidden_;
  ClassPlans& plans_;
  std::unique_ptr<PendingCalls> pending_;  // uses the channel of hidden_
  TimedStart timed_;  // of the call that is about to start; no trial: nobody wants its times
};

}  // namespace espalier::mpi
