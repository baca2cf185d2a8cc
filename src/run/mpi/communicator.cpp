#include "mpi/communicator.hpp"

#include <algorithm>
#include <utility>

#include "mpi/own_work.hpp"
#include "mpi/registry.hpp"

namespace espalier::mpi {

using runtime::CachedPlan;
using runtime::Reason;
using runtime::SharedCall;

namespace {

/// @param comm MPI_COMM_NULL: there is none
bool has_message(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return false;
  int is_there = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &is_there, MPI_STATUS_IGNORE);
  return is_there != 0;
}

}  // namespace

Communicator::Communicator(MPI_Comm comm, const World& world, HiddenShare& share, Groups& groups,
                           ProgressEngine& progress, bool is_off)
    : world_(world),
      user_(comm),
      hidden_(user_, world, share),
      neighbours_(comm, world),
      plans_(user_, world, hidden_, neighbours_),
      machine_(user_, world, groups, plans_),
      starts_(comm, world, progress, hidden_, plans_),
      persistent_(comm, share, progress) {
  never_ = why_never(is_off);
  // The machine may be taken now if it was known before any call, or if no other call can overtake
  // this one (docs/adr/0011-discovery-in-the-first-call.md).
  const bool is_settled = !world.learns_late || !world.is_threaded;
  if (never_ == Reason::MachineUnknown && is_settled && world.known() != nullptr) take_machine();
}

std::optional<Reason> Communicator::why_never(bool is_off) {
  if (user_.is_inter != 0) return Reason::Intercommunicator;
  if (size() == 1) return Reason::OneProcess;
  auto ranks = ranks_in_world(comm());
  if (!ranks) return Reason::OutsideWorld;
  if (is_off) return Reason::SwitchedOff;
  machine_.keep_members(std::move(*ranks));
  return Reason::MachineUnknown;
}

/// Freeing a communicator with unmatched messages ends the program in MPICH 4.2, whatever its error
/// handler. They are not received away: others may come at any time.
void Communicator::leave_hidden() {
  const std::uint64_t left_before = LateAgreement::left_behind();
  persistent_.abandon();
  starts_.leave();
  plans_.leave();
  neighbours_.leave();
  hidden_.leave();
  const bool is_used = LateAgreement::left_behind() != left_before;
  const bool is_abandoned = hidden_.has_failed() || is_used || has_message(machine_.probes()) ||
                            has_message(hidden_.comm());
  machine_.leave(is_abandoned);
  hidden_.joining().leave(is_abandoned);
}

void Communicator::give_back(Reason why) {
  leave_hidden();
  never_ = why;
}

void Communicator::give_back_within(const std::vector<Rank>& ranks, bool keeps_startable) {
  if (!hidden_.is_made() || (keeps_startable && hidden_.joining().may_all_start())) return;
  const std::vector<Rank>& members = plans_.group()->members();
  const bool has_others = std::any_of(members.begin(), members.end(), [&](Rank rank) {
    return !std::binary_search(ranks.begin(), ranks.end(), rank);
  });
  if (!has_others) give_back(Reason::NotAgreed);
}

bool Communicator::leaves_after_failure() {
  if (!hidden_.is_made() || starts_.have_begun()) return false;
  if (!hidden_.has_failed_somewhere()) return false;
  give_back(Reason::AfterFailure);
  return true;
}

void Communicator::take_machine() {
  never_.reset();
  machine_.take();
  const runtime::Settings& settings = world_.settings;
  const bool is_told = settings.force || settings.reproducible || names_a_plan(settings);
  // Where machines are found, others may take a newer one here, which need not be even.
  const bool is_final = !world_.learns_late;
  if (plans_.group()->is_even() && !settings.trial && !is_told && is_final) {
    never_ = Reason::OneLevel;
  }
}

void Communicator::take_newer_machine() {
  if (!machine_.is_outdated()) return;
  starts_.let_block_if_it_must();
  machine_.take_newer();
}

bool Communicator::end_joining(Joining::State state) {
  if (state == Joining::State::Never) {
    never_ = plans_.group()->is_even() ? Reason::OneLevel : Reason::NotAgreed;
  }
  if (state != Joining::State::There) return false;
  if (!hidden_.make(*plans_.group())) plans_.forget_plans();
  plans_.policies().join([this] { return std::make_unique<LateAgreement>(hidden_.comm()); });
  return true;
}

bool Communicator::make_hidden(const SharedCall& call) {
  return end_joining(
      hidden_.joining().at_once(*plans_.group(), [&] { return machine_.hash_to_agree(call); }));
}

bool Communicator::join(const SharedCall& call) {
  if (!world_.learns_late) {
    const double begin = seconds_now();
    const bool is_made = make_hidden(call);
    world_.spend_on_node(seconds_now() - begin);
    return is_made;
  }
  const auto state = hidden_.joining().by_steps(*plans_.group(), hidden_.memory(),
                                                [&] { return machine_.hash_to_agree(call); });
  if (state < Joining::State::There) return false;
  const OwnWork work(world_);
  return end_joining(state);
}

Communicator::Next Communicator::next(runtime::PlanKey& key) {
  using First = runtime::Take::First;
  if (starts_.have_begun()) starts_.before_blocking();
  if (const CachedPlan* const settled = plans_.settled(key)) {
    if (leaves_after_failure()) return {nullptr, *never_, true};
    return {settled, {}, false, nullptr};
  }
  runtime::CallPolicies& policies = plans_.policies();
  // Before there is a hidden communicator, candidates are compared in time that is not ours.
  const bool is_counted = world_.learns_late && !hidden_.joining().has_made();
  // While ranks wait for the time to join, no class is compared that was not met before.
  if (is_counted && hidden_.joining().asks() && !key.irregular && !policies.knows(key) &&
      !join(key)) {
    return {nullptr, never_.value_or(Reason::FirstCalls), never_.has_value()};
  }
  // What ranks know of forgotten classes beside them differs: each asks anew, from this call on.
  if (plans_.makes_room_for(key)) Registry::forget_what_is_native();
  // On one node choosing is part of the trial: both wait for the time.
  const bool is_to_choose = !world_.learns_late && policies.wants_candidates(key);
  if (is_to_choose) {
    if (!is_time_to_try()) return {nullptr, Reason::OneLevel};
    may_join_ = true;
  }
  const double begin = is_counted || is_to_choose ? seconds_now() : 0;
  runtime::ClassPolicy* policy = &policies.at(key);
  runtime::Take take = policy->next(world_.clock);
  const auto ask_anew = [&] {
    policy = &policies.at(key);
    take = policy->next(world_.clock);
  };
  if (is_counted) world_.account.spend(seconds_now() - begin);
  if (is_to_choose) world_.spend_on_node(seconds_now() - begin);
  if (take.first == First::Join) {
    // Whoever names a machine wants plans for it; what was found must not cost more than it gains.
    if (!world_.learns_late && !std::exchange(may_join_, false) && !is_time_to_try()) {
      if (plans_.group()->is_even()) return {nullptr, Reason::OneLevel};
      return {nullptr, Reason::FirstCalls, false, policy};
    }
    const bool is_there = join(key);
    if (!is_there && !never_) return {nullptr, Reason::FirstCalls, false, policy};
    if (!is_there) return {nullptr, *never_, true};
    if (hidden_.memory().lacks_something(*plans_.group())) {
      hidden_.memory().do_without(*plans_.group());
      plans_.begin(plans_.group(), !machine_.changes().empty());
      ask_anew();
    } else {
      take = policy->joined(world_.clock);
    }
  }
  if (take.first == First::Measure) {
    if (machine_.is_time_to_measure(hidden_.comm()) && machine_.measure_again(hidden_.comm())) {
      // Calls with neighbours may have been native for good while no link was far.
      Registry::forget_what_is_native();
      ask_anew();
    } else {
      take = policy->unchanged();
    }
  }
  runtime::ClassPolicy* const timed = take.is_timed ? policy : nullptr;
  if (!take.which) return {nullptr, take.why, take.is_for_good, timed};
  if (leaves_after_failure()) return {nullptr, *never_, true};
  runtime::PlanKey asked = key;
  key.which = *take.which;
  const CachedPlan* const plan = plans_.find(key);
  if (take.is_settled && timed == nullptr) plans_.settle(std::move(asked), plan);
  return {plan, {}, false, timed};
}

std::shared_ptr<const CachedPlan> Communicator::plan_to_bind(runtime::PlanKey key) {
  if (!may_bind() || plans_.policies().is_full_for(key)) return nullptr;
  if (!hidden_.is_made()) {
    const runtime::ClassPolicy& policy = plans_.policies().at(key);
    const bool is_final = !policy.is_undecided() || policy.has_decision();
    const bool would_plan = is_final && policy.outlook().which.has_value();
    if (!would_plan || world_.learns_late || !make_hidden(key)) return nullptr;
  }
  return starts_.plan(std::move(key));
}

bool Communicator::can_multicast() {
  if (never_) return false;
  starts_.let_block();
  if (hidden_.is_made()) return !leaves_after_failure();
  return make_hidden({schedule::Operation::Broadcast, 0, 1});
}

}  // namespace espalier::mpi
