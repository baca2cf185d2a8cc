#include "mpi/communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/file_descriptor.hpp"
#include "base/float_environment.hpp"
#include "mpi/late_agreement.hpp"
#include "mpi/registry.hpp"
#include "mpi/seconds_now.hpp"
#include "runtime/neighbour_plan.hpp"

namespace espalier::mpi {

using runtime::CachedPlan;
using runtime::Reason;
using runtime::SharedCall;

namespace {

/// Calls on a communicator before its ranks ask each other whether all know the machine.
constexpr std::uint64_t kCallsBeforeAsking = 8;

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
    : comm_(comm),
      world_(world),
      groups_(groups),
      links_(world),
      joining_(comm, world, share),
      memory_(world, share.memory),
      neighbours_(comm, world),
      starts_(comm, world, progress),
      persistent_(comm, share, progress) {
  PMPI_Comm_rank(comm_, &rank_);
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
  const std::uint64_t left_before = LateAgreement::left_behind();
  persistent_.abandon();
  starts_.leave();
  if (has_failed_ && executor_ != nullptr) executor_->channel().abandon_pace();
  starts_.forget_trials();
  policies_.leave();
  joining_.drop_agreement();
  neighbours_.leave();
  counted_trees_.reset();
  memory_.leave();
  counts_before_ = channel_counts();
  // MPI may still use messages of calls that failed, so their memory stays.
  if (executor_ != nullptr && executor_->holds_abandoned()) static_cast<void>(executor_.release());
  executor_.reset();
  const bool is_used = LateAgreement::left_behind() != left_before;
  const bool is_abandoned =
      has_failed_ || is_used || has_message(links_.probes()) || has_message(joining_.hidden());
  links_.leave(is_abandoned);
  joining_.leave(is_abandoned);
}

bool Communicator::has_only(const std::vector<Rank>& ranks) const {
  const std::vector<Rank>& members = group_->members();
  return std::all_of(members.begin(), members.end(), [&](Rank rank) {
    return std::binary_search(ranks.begin(), ranks.end(), rank);
  });
}

void Communicator::give_back(Reason why) {
  leave_hidden();
  never_ = why;
}

bool Communicator::leaves_after_failure() {
  if (executor_ == nullptr || starts_.have_begun()) return false;
  Channel& channel = executor_->channel();
  channel.wait_to_begin(channel.calls());
  if (!channel.has_failed_somewhere()) return false;
  has_failed_ = true;  // on other ranks: messages may come to this one too
  channel.end_paces();
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
  world_ranks_ = runtime::KeptRanks(std::move(*ranks));
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
  plan_for(groups_.find(world_, world_ranks_.spelled_out()));
  world_ranks_ = {};
  // Where machines are found, others may take a newer one here, which need not be even.
  const bool is_final = !world_.learns_late;
  if (group_->is_even() && !settings.trial && !is_told && is_final) never_ = Reason::OneLevel;
}

void Communicator::plan_anew() {
  // Trials of starts are forgotten: what they agree on must be under way.
  starts_.let_block_if_it_must();
  taken_ = world_.known();
  machine_hash_ = taken_->hash;
  links_.forget_changes();
  plan_for(groups_.find(world_, group_->members()));
}

void Communicator::plan_for(std::shared_ptr<GroupPlans> group) {
  plans_ = runtime::PlanCache();
  starts_.forget_trials();
  settled_.plan = nullptr;
  multicasts_.forget();
  counted_calls_.forget();
  neighbours_.forget_choices();
  if (counted_trees_ != nullptr) counted_trees_->plan_for(group->machine());
  group_ = std::move(group);
  verdicts_ = world_.verdicts;
  policies_.evidence().count_in(world_.account);
  if (world_.learns_late) policies_.evidence().count_work(world_.expected_seconds);
  // The network may have been another in earlier runs.
  policies_.begin(group_->is_even(), group_->far_pairs().empty(), world_.settings, group_->place(),
                  changes().empty() ? verdicts_.get() : nullptr,
                  [this](const SharedCall& call) { return candidates(call); });
}

bool Communicator::measure_again() {
  auto machine = links_.measure(*group_, joining_.hidden());
  if (!machine) return false;
  constexpr std::size_t kMostPastTrials = 1000;
  if (keeps_log() && past_trials_.size() < kMostPastTrials) {
    past_trials_ = trials();
    for (runtime::TrialRecord& record : past_trials_) record.was_replanned = true;
  }
  plan_for(groups_.changed(world_, *group_, std::move(*machine)));
  // Calls with neighbours may have been native for good while no link was far.
  Registry::forget_what_is_native();
  if (world_.settings.log > 0 && world_.rank == 0) {
    for (const std::string& words : links_.newest_changes()) {
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
  if (!world_.learns_late) world_.spend_on_node(seconds_now() - begin);
  if (world_.settings.log > 1 && world_.rank == 0) tell(key, *plan);
  return plan;
}

Communicator::Next Communicator::next(runtime::PlanKey& key) {
  using First = runtime::Take::First;
  if (starts_.have_begun()) starts_.before_blocking(joining_.hidden());
  if (settled_.plan != nullptr && settled_.key == key) {
    if (leaves_after_failure()) return {nullptr, *never_, true};
    return {settled_.plan, {}, false, nullptr};
  }
  // Before there is a hidden communicator, candidates are compared in time that is not ours.
  const bool is_counted = world_.learns_late && !joining_.has_made();
  // While ranks wait for the time to join, no class is compared that was not met before.
  if (is_counted && joining_.asks() && !key.irregular && !policies_.knows(key) &&
      !join_by_steps(key)) {
    return {nullptr, never_.value_or(Reason::FirstCalls), never_.has_value()};
  }
  // What ranks know of forgotten classes beside them differs: each asks anew, from this call on.
  if (policies_.is_full_for(key)) {
    settled_.plan = nullptr;
    starts_.forget_trials();  // of those classes too
    Registry::forget_what_is_native();
  }
  // On one node choosing is part of the trial: both wait for the time.
  const bool is_to_choose = !world_.learns_late && policies_.wants_candidates(key);
  if (is_to_choose) {
    if (!joining_.is_time_to_try(*group_, memory_)) return {nullptr, Reason::OneLevel};
    may_join_ = true;
  }
  const double begin = is_counted || is_to_choose ? seconds_now() : 0;
  runtime::ClassPolicy* policy = &policies_.at(key);
  runtime::Take take = policy->next(world_.clock);
  if (is_counted) world_.account.spend(seconds_now() - begin);
  if (is_to_choose) world_.spend_on_node(seconds_now() - begin);
  if (take.first == First::Join) {
    // Whoever names a machine wants plans for it; what was found must not cost more than it gains.
    if (!world_.learns_late && !std::exchange(may_join_, false) &&
        !joining_.is_time_to_try(*group_, memory_)) {
      if (group_->is_even()) return {nullptr, Reason::OneLevel};
      return {nullptr, Reason::FirstCalls, false, policy};
    }
    const bool is_there = world_.learns_late ? join_by_steps(key) : make_hidden_on_node(key);
    if (!is_there && !never_) return {nullptr, Reason::FirstCalls, false, policy};
    if (!is_there) return {nullptr, *never_, true};
    if (memory_.lacks_something(*group_)) {
      memory_.do_without(*group_);
      plan_for(group_);
      policy = &policies_.at(key);
      take = policy->next(world_.clock);
    } else {
      take = policy->joined(world_.clock);
    }
  }
  if (take.first == First::Measure) {
    if (links_.is_time_to_measure(*group_, joining_.hidden()) && measure_again()) {
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

bool Communicator::take_lengths(SharedCall& call, Blocks blocks) {
  if (call.operation != schedule::Operation::Allgather || call.counts.empty()) return false;
  const schedule::Collective known =
      runtime::collective_of(call, static_cast<Rank>(group_->machine().size()));
  const bool is_counted = select::is_chosen_by_counts(known);
  if (is_counted && blocks == Blocks::Yes) counted_calls_.note(call, group_->machine());
  if (!is_counted || !counted_calls_.are_due(call)) {
    call.count = select::with_assumed_blocks(known).count;
    call.counts.clear();
  }
  return is_counted;
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

std::shared_ptr<const CachedPlan> Communicator::plan_to_start(runtime::PlanKey key) {
  starts_.why_native = why_none_starts();
  // Classes that are forgotten may wait for agreements.
  if (!may_all_start() || policies_.is_full_for(key)) return nullptr;
  // Trials of starts count calls that block. Where no link is far any more, some of those are known
  // to be native and do not come here, on some ranks.
  const bool is_measured = world_.settings.nonblocking == runtime::NonBlocking::Measured;
  if (is_measured && group_->far_pairs().empty()) return nullptr;
  if (!starts_.have_begun()) starts_.begin(executor_->channel());
  // Trials have compared calls through memory, where these do not go.
  starts_.why_native = Reason::ThroughMemory;
  if (memory_.segment() != nullptr && runtime::may_try(world_.settings)) return nullptr;
  std::optional<select::WhichPlan> which;
  {
    const DefaultFloats floats;
    which = starts_.which(key, policies_.at(key), joining_.hidden());
  }
  if (!which) return nullptr;
  key.which = *which;
  static_cast<void>(cached(key));
  return plans_.held();
}

bool Communicator::may_bind() const {
  return world_.settings.nonblocking == runtime::NonBlocking::Planned && !world_.is_threaded;
}

std::shared_ptr<const CachedPlan> Communicator::plan_to_bind(runtime::PlanKey key) {
  if (!may_bind() || policies_.is_full_for(key)) return nullptr;
  if (executor_ == nullptr) {
    const runtime::ClassPolicy& policy = policies_.at(key);
    const bool is_final = !policy.is_undecided() || policy.has_decision();
    const bool would_plan = is_final && policy.outlook().which.has_value();
    if (!would_plan || world_.learns_late || !make_hidden(key)) return nullptr;
  }
  return plan_to_start(std::move(key));
}

void Communicator::add_to(runtime::Verdicts& verdicts) const {
  if (!changes().empty()) return;  // the next run may find the network as it was at first
  policies_.add_to(verdicts);
}

std::vector<runtime::TrialRecord> Communicator::trials() const {
  std::vector<runtime::TrialRecord> records = past_trials_;
  for (runtime::TrialRecord& one : policies_.records(name())) records.push_back(std::move(one));
  return records;
}

std::vector<runtime::Candidate> Communicator::candidates(const SharedCall& call) {
  if (schedule::is_neighbourhood(call.operation)) {
    return runtime::neighbour_candidates(neighbours_.chooser(*group_), world_.settings, call);
  }
  return memory_.candidates(*group_, call, executor_ != nullptr);
}

CachedPlan Communicator::plan_of(Rank rank, const runtime::PlanKey& key) {
  const bool is_over_memory = key.which == select::WhichPlan::OverMemory;
  if (is_over_memory && memory_.may_go_over_nodes(*group_, executor_ != nullptr)) {
    if (auto plan = group_->plan_over_memory(rank, key)) return std::move(*plan);
  }
  if (!schedule::is_neighbourhood(key.operation)) return group_->plan(rank, key);
  return runtime::make_neighbour_plan(neighbours_.chooser(*group_), group_->machine(), key, rank);
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
                            call.root, memory_.name_of(plan), plan.why));
}

std::string Communicator::name() const {
  std::array<char, MPI_MAX_OBJECT_NAME> text{};
  int length = 0;
  PMPI_Comm_get_name(comm_, text.data(), &length);
  std::string given(text.data(), static_cast<std::size_t>(length));
  // A terminal obeys these, and a line has one name.
  std::erase_if(given, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  return fmt::format("{} ({})", given.empty() ? "unnamed" : given, size_);
}

}  // namespace espalier::mpi
