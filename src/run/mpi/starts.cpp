#include "mpi/starts.hpp"

#include <utility>

#include "base/float_environment.hpp"
#include "mpi/late_agreement.hpp"

namespace espalier::mpi {

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

void Starts::begin(Channel& channel) {
  pending_ = std::make_unique<PendingCalls>(channel);
  channel.step_pending = [this] { return progress_.step(); };
}

void Starts::let_block() {
  if (pending_ != nullptr) progress_.let_block(*pending_);
}

void Starts::before_blocking(MPI_Comm hidden) {
  let_block_if_it_must();
  if (!trials_.wants_call()) return;
  const DefaultFloats floats;
  trials_.before_blocking([hidden] { return std::make_unique<LateAgreement>(hidden); });
}

std::optional<select::WhichPlan> Starts::which(const runtime::SharedCall& call,
                                               const runtime::ClassPolicy& policy,
                                               MPI_Comm hidden) {
  const bool is_final = !policy.is_undecided() || policy.has_decision();
  why_native = is_final ? Reason::NoLead : Reason::BlockingTrial;
  // What that is changes only in calls that block, by agreed values.
  if (world_.settings.nonblocking == runtime::NonBlocking::Planned) {
    const auto planned = policy.outlook().which;
    return planned ? std::optional(by_messages(*planned)) : std::nullopt;
  }
  auto lead = policy.lead();
  if (!lead || !lead->is_clear()) return std::nullopt;
  lead->which = by_messages(lead->which);
  runtime::StartTrials::Next next =
      trials_.next(runtime::class_of(call), call.count * call.element, *lead);
  why_native = why_native_in(next.phase);
  if (next.agrees) {
    progress_.do_in_order(*pending_, [trial = std::move(next.agrees), hidden] {
      trial->agree(std::make_unique<LateAgreement>(hidden));
    });
  }
  if (next.timed) timed_ = progress_.begin_timing(std::move(next.timed), next.is_planned);
  return next.is_planned ? std::optional(lead->which) : std::nullopt;
}

int Starts::start(std::unique_ptr<PendingCall> call, Channel& channel, MPI_Request* request,
                  std::function<void()> fail) {
  int number = 0;
  const int opened = progress_.open(channel, request, &number);
  if (opened != MPI_SUCCESS) {
    fail();
    skip();
    return opened;
  }
  const bool is_timed = timed_.trial != nullptr;
  call->ended = [this, number, fail = std::move(fail),
                 timed = std::exchange(timed_, {})](int code) {
    if (code != MPI_SUCCESS) fail();
    progress_.complete(number, code, comm_);
    progress_.end_timing(timed, code);
  };
  progress_.start(*pending_, std::move(call));
  if (is_timed) progress_.leave_start();
  return MPI_SUCCESS;
}

void Starts::adopt(MPI_Request* request, const Channel& channel) {
  progress_.adopt(request, channel, comm_, std::exchange(timed_, {}));
}

void Starts::drop() {
  if (timed_.trial == nullptr) return;
  progress_.leave_start();
  progress_.drop_timing();
  timed_ = {};
}

bool Starts::finish(double patience) {
  return pending_ == nullptr || progress_.finish(*pending_, comm_, patience);
}

}  // namespace espalier::mpi
