#include "mpi/communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "base/file_descriptor.hpp"
#include "base/float_environment.hpp"
#include "mpi/late_agreement.hpp"
#include "mpi/registry.hpp"
#include "mpi/seconds_now.hpp"
#include "topology/views.hpp"

namespace espalier::mpi {

using runtime::CachedPlan;
using runtime::Reason;
using runtime::SharedCall;

namespace {

/// Calls on a communicator before its ranks ask each other whether all know the machine.
constexpr std::uint64_t kCallsBeforeAsking = 8;

bool has_message(const OwnedComm& comm) {
  int is_there = 0;
  if (comm) PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm.get(), &is_there, MPI_STATUS_IGNORE);
  return is_there != 0;
}

}  // namespace

std::optional<std::vector<Rank>> ranks_in_world(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  MPI_Group group = MPI_GROUP_NULL, world = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &group);
  const OwnedGroup own_group(group);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  const OwnedGroup own_world(world);
  std::vector<int> here(static_cast<std::size_t>(size)), there(here.size());
  std::iota(here.begin(), here.end(), 0);
  PMPI_Group_translate_ranks(group, size, here.data(), world, there.data());
  std::vector<Rank> ranks;
  for (const int rank : there) {
    if (rank == MPI_UNDEFINED) return std::nullopt;
    ranks.push_back(static_cast<Rank>(rank));
  }
  return ranks;
}

bool HiddenShare::take() {
  const int before = taken_.fetch_add(1);
  if (before >= kMost || is_closed_.load()) {
    taken_.fetch_sub(1);
    return false;
  }
  for (int most = most_.load(); most <= before;) {
    if (most_.compare_exchange_weak(most, before + 1)) break;
  }
  return true;
}
void HiddenShare::give_back() { taken_.fetch_sub(1); }
int HiddenShare::taken() const { return taken_.load(); }

Communicator::Communicator(MPI_Comm comm, const World& world, HiddenShare& share, Groups& groups,
                           ProgressEngine& progress, bool is_off)
    : comm_(comm), world_(world), share_(share), groups_(groups), progress_(progress) {
  PMPI_Comm_rank(comm_, &rank_);
  policies_.count_regret_in(world.regret);
  never_ = why_never(is_off);
  // The machine may be taken now if it was known before any call, or if no other call can overtake
  // this one (docs/adr/0011-discovery-in-the-first-call.md).
  const bool is_settled = !world.learns_late || !world.is_threaded;
  if (never_ == Reason::MachineUnknown && is_settled && world.known() != nullptr) take_machine();
}

Communicator::~Communicator() { leave_hidden(); }

/// Freeing a communicator with unmatched messages ends the program in MPICH 4.2, whatever its error
/// handler. They are not received away: others may come at any time.
void Communicator::leave_hidden() {
  held_back_before_ = held_back();
  most_counted_before_ = most_counted();
  const std::uint64_t left_before = LateAgreement::left_behind();
  abandon_channels();
  pending_.reset();
  if (has_failed_ && executor_ != nullptr) executor_->channel().abandon_pace();
  starts_.forget();
  policies_.leave();
  join_agreement_.reset();
  telling_.reset();
  block_lengths_.clear();
  counted_trees_.reset();
  segment_.reset();
  node_level_.reset();
  executor_.reset();
  const bool is_used = LateAgreement::left_behind() != left_before;
  const bool is_abandoned = has_failed_ || is_used || has_message(probes_) || has_message(hidden_);
  if (is_abandoned) {
    probes_.abandon();
    hidden_.abandon();
  }
  probes_ = OwnedComm();
  hidden_ = OwnedComm();
  if (std::exchange(holds_share_, false) && !is_abandoned) share_.give_back();
}

bool Communicator::has_only(const std::vector<Rank>& ranks) const {
  const std::vector<Rank>& members = group_->members();
  return std::all_of(members.begin(), members.end(), [&](Rank rank) {
    return std::binary_search(ranks.begin(), ranks.end(), rank);
  });
}

void Communicator::give_back(Reason why) {
  leave_hidden();
  may_all_start_ = false;
  never_ = why;
}

bool Communicator::leaves_after_failure() {
  if (executor_ == nullptr || pending_ != nullptr) return false;
  Channel& channel = executor_->channel();
  channel.wait_to_begin(channel.calls());
  if (!channel.has_failed_somewhere()) return false;
  has_failed_ = true;  // on other ranks: messages may come to this one too
  channel.end_paces();
  sent_before_ = channel.sent();
  held_back_before_ = held_back();
  most_counted_before_ = most_counted();
  // MPI may still read messages of calls that failed, so their memory stays.
  if (executor_->holds_abandoned()) static_cast<void>(executor_.release());
  give_back(Reason::AfterFailure);
  return true;
}

std::optional<Reason> Communicator::why_never(bool is_off) {
  int inter = 0;
  PMPI_Comm_test_inter(comm_, &inter);
  if (inter != 0) return Reason::Intercommunicator;
  PMPI_Comm_size(comm_, &size_);
  if (size_ == 1) return Reason::OneProcess;
  auto ranks = ranks_in_world(comm_);
  if (!ranks) return Reason::OutsideWorld;
  if (is_off) return Reason::SwitchedOff;
  world_ranks_ = std::move(*ranks);
  return Reason::MachineUnknown;
}

bool Communicator::all_know_the_machine() {
  // Most communicators are gone before that many calls, and would gain nothing.
  const std::uint64_t first = world_.settings.force ? 1 : kCallsBeforeAsking;
  if (++calls_without_machine_ < first || !std::has_single_bit(calls_without_machine_))
    return false;
  int known = world_.known() != nullptr ? 1 : 0;
  const int code = PMPI_Allreduce(MPI_IN_PLACE, &known, 1, MPI_INT, MPI_MIN, comm_);
  return code == MPI_SUCCESS && known == 1;
}

void Communicator::take_machine() {
  taken_ = world_.known();
  machine_hash_ = taken_->hash;
  const runtime::Settings& settings = world_.settings;
  const bool is_told = settings.force || settings.reproducible || names_a_plan(settings);
  never_.reset();
  plan_for(groups_.find(world_, world_ranks_));
  world_ranks_ = {};
  // Where machines are found, others may take a newer one here, which need not be even.
  const bool is_final = !world_.learns_late;
  if (group_->is_even() && !settings.trial && !is_told && is_final) never_ = Reason::OneLevel;
}

void Communicator::plan_anew() {
  // Trials of starts are forgotten: what they agree on must be under way.
  if (pending_ != nullptr && !pending_->may_block()) progress_.let_block(*pending_);
  taken_ = world_.known();
  machine_hash_ = taken_->hash;
  changes_.clear();
  plan_for(groups_.find(world_, group_->members()));
}

void Communicator::plan_for(std::shared_ptr<GroupPlans> group) {
  plans_ = runtime::PlanCache();
  starts_.forget();
  settled_.plan = nullptr;
  multicasts_.clear();
  neighbour_chooser_.reset();
  if (counted_trees_ != nullptr) counted_trees_->plan_for(group->machine());
  group_ = std::move(group);
  verdicts_ = world_.verdicts;
  // The network may have been another in earlier runs.
  policies_.begin(group_->is_even(), group_->far_pairs().empty(), world_.settings, group_->place(),
                  changes_.empty() ? verdicts_.get() : nullptr,
                  [this](const SharedCall& call) { return candidates(call); });
}

bool Communicator::measure_again() {
  const double begin = seconds_now();
  if (!probes_) {
    probes_ = hidden_copy(hidden_.get(), rank_);
    if (!probes_) return false;
  }
  const LinkChanges found = changes_of_links(group_->machine(), group_->far_pairs(), probes_.get());
  if (!world_.is_threaded) world_.account.spend(seconds_now() - begin);
  if (found.scales.empty()) return false;
  topology::Machine machine = group_->machine();
  for (const topology::LevelScale& scale : found.scales) {
    machine = topology::scale_level(std::move(machine), scale);
  }
  constexpr std::size_t kMostPastTrials = 1000;
  if (!world_.settings.explain.empty() && past_trials_.size() < kMostPastTrials) {
    past_trials_ = trials();
    for (runtime::TrialRecord& record : past_trials_) record.was_replanned = true;
  }
  changes_.insert(changes_.end(), found.words.begin(), found.words.end());
  plan_for(groups_.changed(world_, *group_, std::move(machine)));
  // Calls with neighbours may have been native for good while no link was far.
  Registry::forget_what_is_native();
  if (world_.settings.log > 0 && world_.rank == 0) {
    for (const std::string& words : found.words) {
      write_message(fmt::format("espalier: {}: {}; plans are made anew\n", name(), words));
    }
  }
  return true;
}

const CachedPlan* Communicator::cached(const runtime::PlanKey& key) {
  settled_.plan = nullptr;  // it may be evicted now
  const CachedPlan* plan = plans_.find(key);
  if (plan != nullptr) return plan;
  const double begin = seconds_now();
  plan = plans_.insert(key, plan_of(static_cast<Rank>(rank_), key));
  if (!world_.learns_late) spend_on_node(seconds_now() - begin);
  if (world_.settings.log > 1 && world_.rank == 0) tell(key, *plan);
  return plan;
}

void Communicator::prepare_to_block() {
  if (!pending_->may_block()) progress_.let_block(*pending_);
  if (starts_.wants_call()) {
    const DefaultFloats floats;
    starts_.before_blocking([this] { return std::make_unique<LateAgreement>(hidden_.get()); });
  }
}

Communicator::Next Communicator::next(runtime::PlanKey& key) {
  using First = runtime::Take::First;
  if (pending_ != nullptr) prepare_to_block();
  if (settled_.plan != nullptr && settled_.key == key) {
    if (leaves_after_failure()) return {nullptr, *never_, true};
    return {settled_.plan, {}, false, nullptr};
  }
  // Before there is a hidden communicator, candidates are compared in time that is not ours.
  const bool is_counted = world_.learns_late && !hidden_;
  // While ranks wait for the time to join, no class is compared that was not met before.
  if (is_counted && asks_to_join_ && !key.irregular && !policies_.knows(key) &&
      !join_by_steps(key)) {
    return {nullptr, never_.value_or(Reason::FirstCalls), never_.has_value()};
  }
  // What ranks know of forgotten classes beside them differs: each asks anew, from this call on.
  if (policies_.is_full_for(key)) {
    settled_.plan = nullptr;
    starts_.forget();  // of those classes too
    Registry::forget_what_is_native();
  }
  // On one node choosing is part of the trial: both wait for the time.
  const bool is_to_choose = !world_.learns_late && policies_.wants_candidates(key);
  if (is_to_choose) {
    if (!is_time_to_try()) return {nullptr, Reason::OneLevel};
    may_join_ = true;
  }
  const double begin = is_counted || is_to_choose ? seconds_now() : 0;
  runtime::ClassPolicy* policy = &policies_.at(key);
  runtime::Take take = policy->next(world_.clock);
  if (is_counted) world_.account.spend(seconds_now() - begin);
  if (is_to_choose) spend_on_node(seconds_now() - begin);
  if (take.first == First::Join) {
    // Whoever names a machine wants plans for it; what was found must not cost more than it gains.
    if (!world_.learns_late && !std::exchange(may_join_, false) && !is_time_to_try()) {
      if (group_->is_even()) return {nullptr, Reason::OneLevel};
      return {nullptr, Reason::FirstCalls, false, policy};
    }
    const bool is_there = world_.learns_late ? join_by_steps(key) : make_hidden_at_once(key);
    if (!is_there && !never_) return {nullptr, Reason::FirstCalls, false, policy};
    if (!is_there) return {nullptr, *never_, true};
    if (lacks_memory() || lacks_one_copy()) {
      do_without();
      policy = &policies_.at(key);
      take = policy->next(world_.clock);
    } else {
      take = policy->joined(world_.clock);
    }
  }
  if (take.first == First::Measure) {
    if (is_time_to_measure() && measure_again()) {
      policy = &policies_.at(key);
      take = policy->next(world_.clock);
    } else {
      take = policy->unchanged();
    }
  }
  runtime::ClassPolicy* const timed = take.is_timed ? policy : nullptr;
  if (!take.which) return {nullptr, take.why, take.is_for_good, timed};
  if (leaves_after_failure()) return {nullptr, *never_, true};
  runtime::PlanKey asked = key;
  key.which = *take.which;
  const CachedPlan* const plan = cached(key);
  if (take.is_settled && timed == nullptr) settled_ = {std::move(asked), plan};
  return {plan, {}, false, timed};
}

Reason Communicator::why_none_starts() const {
  using runtime::NonBlocking;
  if (never_ && never_ != Reason::MachineUnknown) return *never_;
  const NonBlocking which = world_.settings.nonblocking;
  const bool is_measured = which == NonBlocking::Measured;
  if (which == NonBlocking::Native) return Reason::NonBlocking;
  if (world_.is_threaded) return Reason::ManyThreads;
  if (is_measured && !runtime::may_try(world_.settings)) return Reason::NotCompared;
  if (is_measured && group_ != nullptr && group_->far_pairs().empty()) return Reason::NoFarLink;
  return executor_ == nullptr ? Reason::NoCallBefore : Reason::NonBlocking;
}

namespace {

/// Why a start of a trial is native.
Reason why_native(runtime::StartTrial::Phase phase) {
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

std::optional<select::WhichPlan> Communicator::which_to_start(const SharedCall& call) {
  const DefaultFloats floats;
  const runtime::ClassPolicy& policy = policies_.at(call);
  const bool is_final = !policy.is_undecided() || policy.has_decision();
  why_native_start = is_final ? Reason::NoLead : Reason::BlockingTrial;
  // What that is changes only in calls that block, by agreed values.
  if (world_.settings.nonblocking == runtime::NonBlocking::Planned) {
    const auto which = policy.outlook().which;
    return which ? std::optional(by_messages(*which)) : std::nullopt;
  }
  auto lead = policy.lead();
  if (!lead || !lead->is_clear()) return std::nullopt;
  lead->which = by_messages(lead->which);
  runtime::StartTrials::Next next =
      starts_.next(runtime::class_of(call), call.count * call.element, *lead);
  why_native_start = why_native(next.phase);
  if (next.agrees) {
    progress_.do_in_order(*pending_, [trial = std::move(next.agrees), hidden = hidden_.get()] {
      trial->agree(std::make_unique<LateAgreement>(hidden));
    });
  }
  if (next.timed) timed_ = progress_.begin_timing(std::move(next.timed), next.is_planned);
  return next.is_planned ? std::optional(lead->which) : std::nullopt;
}

std::shared_ptr<const CachedPlan> Communicator::plan_to_start(runtime::PlanKey key) {
  why_native_start = why_none_starts();
  // Classes that are forgotten may wait for agreements.
  if (!may_all_start_ || policies_.is_full_for(key)) return nullptr;
  // Trials of starts count calls that block. Where no link is far any more, some of those are known
  // to be native and do not come here, on some ranks.
  const bool is_measured = world_.settings.nonblocking == runtime::NonBlocking::Measured;
  if (is_measured && group_->far_pairs().empty()) return nullptr;
  if (pending_ == nullptr) begin_starting();
  // Trials have compared calls through memory, where these do not go.
  why_native_start = Reason::ThroughMemory;
  if (segment_ != nullptr && runtime::may_try(world_.settings)) return nullptr;
  const auto which = which_to_start(key);
  if (!which) return nullptr;
  key.which = *which;
  static_cast<void>(cached(key));
  return plans_.held();
}

void Communicator::start(std::unique_ptr<PendingCall> call, MPI_Request* request) {
  const int number = progress_.open(executor_->channel(), request);
  const bool is_timed = timed_.trial != nullptr;
  call->ended = [this, number, timed = std::exchange(timed_, {})](int code) {
    if (code != MPI_SUCCESS) mark_failed();
    progress_.complete(number, code, comm_);
    progress_.end_timing(timed, code);
  };
  progress_.start(*pending_, std::move(call));
  if (is_timed) progress_.leave_start();
}

void Communicator::drop_start() {
  if (timed_.trial == nullptr) return;
  progress_.leave_start();
  progress_.drop_timing();
  timed_ = {};
}

void Communicator::skip_pending() {
  mark_failed();
  progress_.start(*pending_, nullptr);
}

void Communicator::finish_pending(double patience) {
  if (pending_ != nullptr && !progress_.finish(*pending_, comm_, patience)) mark_failed();
}

void Communicator::finish_agreements() {
  if (join_agreement_ != nullptr) join_agreement_->complete();
  if (telling_ != nullptr) telling_->complete();
  for (auto& [operation, length] : block_lengths_) length.complete();
}

void Communicator::finish_persistent(double patience) {
  for (const auto& channel : channels_) {
    static_cast<void>(progress_.finish(channel->calls, MPI_COMM_NULL, patience));
  }
}

void Communicator::add_to(runtime::Verdicts& verdicts) const {
  if (!changes_.empty()) return;  // the next run may find the network as it was at first
  policies_.add_to(verdicts);
}

std::vector<runtime::TrialRecord> Communicator::trials() const {
  std::vector<runtime::TrialRecord> records = past_trials_;
  for (runtime::TrialRecord& one : policies_.records(name())) records.push_back(std::move(one));
  return records;
}

CountedTrees& Communicator::counted_trees() {
  if (counted_trees_ == nullptr) {
    counted_trees_ = std::make_unique<CountedTrees>(executor(), world_.settings);
    counted_trees_->plan_for(group_->machine());
  }
  return *counted_trees_;
}

void Communicator::tell(const SharedCall& call, const CachedPlan& plan) const {
  write_message(fmt::format("espalier: {} of {} B on {}, root {}: {} ({})\n",
                            schedule::name_of(call.operation), call.count * call.element, name(),
                            call.root, name_of_plan(plan), plan.why));
}

std::string Communicator::name() const {
  std::array<char, MPI_MAX_OBJECT_NAME> text{};
  int length = 0;
  PMPI_Comm_get_name(comm_, text.data(), &length);
  const std::string given(text.data(), static_cast<std::size_t>(length));
  return fmt::format("{} ({})", given.empty() ? "unnamed" : given, size_);
}

}  // namespace espalier::mpi
