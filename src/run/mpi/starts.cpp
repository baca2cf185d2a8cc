#include "mpi/starts.hpp"

#include <utility>

#include "base/float_environment.hpp"
#include "mpi/late_agreement.hpp"

namespace espalier::mpi {

using runtime::CachedPlan;
using runtime::NonBlocking;
using runtime::Reason;

namespace {

/// Why a start of a trial is native.
Reason why_native_in(runtime::StartTrial::Phase phase) {
  using Phase = runtime::StartTrial::Phase;
  if (phase == Phase::Turns) return Reason::Trial;
  return phase == Phase::Kept ? Reason::Slower : Reason::StartWaits;
}

/// Calls that do not block go by messages.
select::WhichPlan by_messages(select::WhichPlan which) {
  const bool is_in_memory =
      which == select::WhichPlan::OverMemory || which == select::WhichPlan::OneCopy;
  return is_in_memory ? select::WhichPlan::Best : which;
}

}  // namespace

void Starts::let_block() {
  if (pending_ != nullptr) progress_.let_block(*pending_);
}

void Starts::before_blocking() {
  let_block_if_it_must();
  if (!plans_.start_trials().wants_call()) return;
  const DefaultFloats floats;
  plans_.start_trials().before_blocking(
      [this] { return std::make_unique<LateAgreement>(hidden_.comm()); });
}

Reason Starts::why_none(std::optional<Reason> never) const {
  if (never && never != Reason::MachineUnknown) return *never;
  const NonBlocking which = world_.settings.nonblocking;
  const bool is_measured = which == NonBlocking::Measured;
  if (which == NonBlocking::Native) return Reason::NonBlocking;
  if (world_.is_threaded) return Reason::ManyThreads;
  if (is_measured && !runtime::may_try(world_.settings)) return Reason::NotCompared;
  const auto& group = plans_.group();
  if (is_measured && group != nullptr && group->far_pairs().empty()) return Reason::NoFarLink;
  return hidden_.is_made() ? Reason::NonBlocking : Reason::NoCallBefore;
}

std::shared_ptr<const CachedPlan> Starts::plan(runtime::PlanKey key) {
  why_native = why_none({});
  // Classes that are forgotten may wait for agreements.
  if (!hidden_.joining().may_all_start() || plans_.policies().is_full_for(key)) return nullptr;
  // Trials of starts count calls that block. Where no link is far any more, some of those are known
  // to be native and do not come here, on some ranks.
  const bool is_measured = world_.settings.nonblocking == NonBlocking::Measured;
  if (is_measured && plans_.group()->far_pairs().empty()) return nullptr;
  if (pending_ == nullptr) {
    pending_ = std::make_unique<PendingCalls>(hidden_.channel());
    hidden_.channel().step_pending = [this] { return progress_.step(); };
  }
  // Trials have compared calls through memory, where these do not go.
  why_native = Reason::ThroughMemory;
  if (hidden_.memory().segment() != nullptr && runtime::may_try(world_.settings)) return nullptr;
  const auto chosen = which(key);
  if (!chosen) return nullptr;
  key.which = *chosen;
  static_cast<void>(plans_.find(key));
  return plans_.held();
}

std::optional<select::WhichPlan> Starts::which(const runtime::SharedCall& call) {
  const DefaultFloats floats;
  const runtime::ClassPolicy& policy = plans_.policies().at(call);
  const bool is_final = !policy.is_undecided() || policy.has_decision();
  why_native = is_final ? Reason::NoLead : Reason::BlockingTrial;
  // What that is changes only in calls that block, by agreed values.
  if (world_.settings.nonblocking == NonBlocking::Planned) {
    const auto planned = policy.outlook().which;
    return planned ? std::optional(by_messages(*planned)) : std::nullopt;
  }
  auto lead = policy.lead();
  if (!lead || !lead->is_clear()) return std::nullopt;
  lead->which = by_messages(lead->which);
  runtime::StartTrials::Next next =
      plans_.start_trials().next(runtime::class_of(call), call.count * call.element, *lead);
  why_native = why_native_in(next.phase);
  if (next.agrees) {
    progress_.do_in_order(*pending_, [trial = std::move(next.agrees), hidden = hidden_.comm()] {
      trial->agree(std::make_unique<LateAgreement>(hidden));
    });
  }
  if (next.timed) timed_ = progress_.begin_timing(std::move(next.timed), next.is_planned);
  return next.is_planned ? std::optional(lead->which) : std::nullopt;
}

int Starts::start(std::unique_ptr<PendingCall> call, MPI_Request* request) {
  int number = 0;
  const int opened = progress_.open(hidden_.channel(), request, &number);
  if (opened != MPI_SUCCESS) {
    skip();
    return opened;
  }
  const bool is_timed = timed_.trial != nullptr;
  call->ended = [this, number, timed = std::exchange(timed_, {})](int code) {
    if (code != MPI_SUCCESS) hidden_.mark_failed();
    progress_.complete(number, code, comm_);
    progress_.end_timing(timed, code);
  };
  progress_.start(*pending_, std::move(call));
  if (is_timed) progress_.leave_start();
  return MPI_SUCCESS;
}

void Starts::adopt(MPI_Request* request) {
  progress_.adopt(request, hidden_.channel(), comm_, std::exchange(timed_, {}));
}

void Starts::drop() {
  if (timed_.trial == nullptr) return;
  progress_.leave_start();
  progress_.drop_timing();
  timed_ = {};
}

void Starts::skip() {
  hidden_.mark_failed();
  progress_.start(*pending_, nullptr);
}

void Starts::finish(double patience) {
  if (pending_ != nullptr && !progress_.finish(*pending_, comm_, patience)) hidden_.mark_failed();
}

}  // namespace espalier::mpi
