#include "mpi/communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

#include "base/float_environment.hpp"
#include "schedule/schedule.hpp"
#include "topology/views.hpp"

namespace espalier::mpi {

using runtime::CachedPlan;
using runtime::PlanKey;
using runtime::Reason;

namespace {

/// Calls that would gain and are native nevertheless, since many communicators are made, used once
/// and freed. (0 if plans are forced.)
constexpr std::uint64_t kCallsBeforeHidden = 1;

/// Most classes of calls that a communicator remembers. When there are more, all are forgotten, by
/// all ranks at the same call, and their trials begin again.
constexpr std::size_t kMostClasses = 4096;

ExecutorOptions executor_options() {
  ExecutorOptions options;
#ifdef ESPALIER_SMPI  // has no connections
  options.window_of_parts = 1;
#endif
  return options;
}

runtime::Tags tags_of(MPI_Comm comm) {
  void* bound = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(comm, MPI_TAG_UB, static_cast<void*>(&bound), &found);
  return runtime::Tags(found != 0 ? *static_cast<int*>(bound) : 32767);
}

/// Makes MPI return a communicator's errors during its lifetime, instead of calling the program's
/// handler. If MPI has no communicator left for us, the program shall not notice.
class ReturnedErrors {
 public:
  explicit ReturnedErrors(MPI_Comm comm) : comm_(comm) {
    PMPI_Comm_get_errhandler(comm_, &before_);
    PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  ~ReturnedErrors() {
    PMPI_Comm_set_errhandler(comm_, before_);
    PMPI_Errhandler_free(&before_);
  }
  ReturnedErrors(const ReturnedErrors&) = delete;
  ReturnedErrors& operator=(const ReturnedErrors&) = delete;

 private:
  MPI_Comm comm_;
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

/// A communicator with the same ranks; empty on all ranks if some rank cannot have one. Not made by
/// MPI_Comm_dup, which would call the program's attribute callbacks.
OwnedComm copy(MPI_Comm from, int rank) {
  const ReturnedErrors returned(from);
  MPI_Comm made = MPI_COMM_NULL;
  int is_made = PMPI_Comm_split(from, 0, rank, &made) == MPI_SUCCESS ? 1 : 0;
  OwnedComm owned = is_made != 0 ? OwnedComm(made) : OwnedComm();
  const int code = PMPI_Allreduce(MPI_IN_PLACE, &is_made, 1, MPI_INT, MPI_MIN, from);
  if (code != MPI_SUCCESS || is_made == 0) return {};
  PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  return owned;
}

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
                           bool is_off)
    : comm_(comm), world_(world), share_(share), groups_(groups) {
  PMPI_Comm_rank(comm_, &rank_);
  never_ = why_never(is_off);
  // The machine may be taken now if it was known before any call, or if no other call can overtake
  // this one (docs/adr/0011-discovery-in-the-first-call.md).
  const bool is_settled = !world.learns_late || !world.is_threaded;
  if (never_ == Reason::MachineUnknown && is_settled && world.known() != nullptr) take_machine();
}

Communicator::~Communicator() {
  if (has_failed_ && executor_ != nullptr) executor_->abandon_pace();
  classes_.clear();
  counted_trees_.reset();
  block_executor_.reset();
  executor_.reset();
  // Freeing a communicator with unmatched messages ends the program in MPICH 4.2, whatever its
  // error handler. They are not received away: others may come at any time.
  if (has_failed_ || has_message(probes_) || has_message(hidden_)) {
    probes_.abandon();
    hidden_.abandon();
    return;
  }
  probes_ = OwnedComm();
  hidden_ = OwnedComm();
  if (holds_share_) share_.give_back();
}

bool Communicator::has_only(const std::vector<Rank>& ranks) const {
  const std::vector<Rank>& members = group_->members();
  return std::all_of(members.begin(), members.end(), [&](Rank rank) {
    return std::binary_search(ranks.begin(), ranks.end(), rank);
  });
}

void Communicator::give_back() {
  forget_classes();
  counted_trees_.reset();
  block_executor_.reset();
  executor_.reset();
  probes_ = OwnedComm();
  hidden_ = OwnedComm();
  if (std::exchange(holds_share_, false)) share_.give_back();
  never_ = Reason::NotAgreed;
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
  if (!std::has_single_bit(++calls_without_machine_)) return false;
  int known = world_.known() != nullptr ? 1 : 0;
  const int code = PMPI_Allreduce(MPI_IN_PLACE, &known, 1, MPI_INT, MPI_MIN, comm_);
  return code == MPI_SUCCESS && known == 1;
}

void Communicator::take_machine() {
  machine_hash_ = world_.known()->hash;
  const runtime::Settings& settings = world_.settings;
  const bool is_told = settings.force || settings.reproducible || !settings.algorithm.empty();
  never_.reset();
  plan_for(groups_.find(world_, world_ranks_));
  world_ranks_ = {};
  if (group_->is_even() && !settings.trial && !is_told) never_ = Reason::OneLevel;
}

void Communicator::plan_for(std::shared_ptr<GroupPlans> group) {
  forget_classes();
  plans_ = runtime::PlanCache();
  multicasts_.clear();
  if (counted_trees_ != nullptr) counted_trees_->plan_for(group->machine());
  group_ = std::move(group);
}

void Communicator::forget_classes() {
  last_state_ = nullptr;
  timed_ = nullptr;  // it points to a policy of these classes
  classes_.clear();
}

Communicator::ClassState& Communicator::state_of(const PlanKey& key) {
  const runtime::CallClass calls = class_of(key);
  if (last_state_ != nullptr && last_class_ == calls) return *last_state_;
  auto it = classes_.find(calls);
  if (it == classes_.end()) {
    if (classes_.size() >= kMostClasses) forget_classes();
    it = classes_.emplace(calls, ClassState{}).first;
    const bool is_known = !world_.verdicts.empty() && world_.verdicts.find(group_->where(), calls);
    it->second.calls_until_policy =
        is_known ? 0
                 : runtime::calls_before_policy(world_.settings, group_->is_even(), !may_change());
  }
  last_class_ = calls;
  return *(last_state_ = &it->second);
}

runtime::ClassPolicy& Communicator::begin_policy(ClassState& state, const PlanKey& key) {
  runtime::ClassPolicy policy =
      group_->policy(key, [begin = world_.program_begin] { return PMPI_Wtime() - begin; });
  const auto known =
      changes_.empty() ? world_.verdicts.find(group_->where(), class_of(key)) : std::nullopt;
  for (std::uint32_t w = 0; known && policy.trial && w < policy.candidates.size(); ++w) {
    if (policy.candidates[w].name != *known) continue;
    policy.trial->keep_from_earlier_run(w);
    policy.calls_until_trial = 0;
  }
  state.policy = std::make_unique<runtime::ClassPolicy>(std::move(policy));
  return *state.policy;
}

bool Communicator::is_among_the_first() {
  const bool from_the_first = world_.settings.force || world_.settings.reproducible;
  return executor_ == nullptr && !from_the_first && gainful_calls_++ < kCallsBeforeHidden;
}

std::optional<select::WhichPlan> Communicator::which_plan(ClassState& state, const PlanKey& key) {
  runtime::ClassPolicy& policy = state.policy != nullptr ? *state.policy : begin_policy(state, key);
  if (policy.calls_until_trial > 0) {
    --policy.calls_until_trial;
    return policy.candidates.front().which;
  }
  // A trial needs the hidden communicator, also for the MPI library's turns.
  if (policy.trial && executor_ == nullptr) {
    const auto& by_prediction = policy.candidates.front().which;
    if (by_prediction || is_among_the_first() || !make_hidden(key)) return by_prediction;
  }
  std::uint32_t candidate = policy.trial ? policy.trial->kept() : 0;
  if (policy.trial && !policy.trial->is_decided()) {
    const DefaultFloats floats;
    if (!state.agreement) state.agreement = std::make_unique<LateAgreement>(hidden_.get());
    candidate = policy.trial->begin_call(*state.agreement);
    if (policy.trial->is_timed()) timed_ = &policy;
    if (policy.trial->is_decided()) state.agreement.reset();
  }
  if (is_watched() && (!policy.trial || policy.trial->runs_kept_candidate())) {
    const DefaultFloats floats;
    if (!policy.watch) policy.watch.emplace(&PMPI_Wtime);
    if (!state.watch_agreement) {
      state.watch_agreement = std::make_unique<LateAgreement>(hidden_.get());
    }
    if (policy.watch->begin_call(*state.watch_agreement)) {
      if (measure_again()) return which_plan(state_of(key), key);
      policy.watch->settle(false);
    }
    if (policy.watch->is_timed()) timed_ = &policy;
  }
  return policy.candidates[candidate].which;
}

bool Communicator::measure_again() {
  if (!probes_) {
    probes_ = copy(hidden_.get(), rank_);
    if (!probes_) return false;
  }
  const LinkChanges found = changes_of_links(group_->machine(), group_->far_pairs(), probes_.get());
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
  plan_for(groups_.changed(world_, *group_, std::move(machine)));
  changes_.insert(changes_.end(), found.words.begin(), found.words.end());
  if (world_.settings.log > 0 && world_.rank == 0) {
    for (const std::string& words : found.words) {
      fmt::print(stderr, "espalier: {}: {}; plans are made anew\n", name(), words);
    }
  }
  return true;
}

const CachedPlan* Communicator::cached(const PlanKey& key) {
  const CachedPlan* plan = plans_.find(key);
  if (plan != nullptr) return plan;
  plan = plans_.insert(key, group_->plan(static_cast<Rank>(rank_), key));
  if (world_.settings.log > 1 && world_.rank == 0) tell(key, *plan);
  return plan;
}

Reason Communicator::why_native(const runtime::ClassPolicy& policy) const {
  const bool is_tried = policy.trial && policy.calls_until_trial == 0 &&
                        (executor_ != nullptr || policy.trial->is_decided());
  if (is_tried && !policy.trial->is_decided()) return Reason::Trial;
  if (is_tried && policy.trial->has_timed_a_plan()) return Reason::Slower;
  return group_->is_even() ? Reason::OneLevel : Reason::NoGain;
}

const CachedPlan* Communicator::plan(const PlanKey& key, Reason& reason) {
  ClassState& mine = state_of(key);
  if (mine.calls_until_policy > 0) {
    --mine.calls_until_policy;
    is_for_good_ = false;
    reason = Reason::OneLevel;
    return nullptr;
  }
  const std::optional<select::WhichPlan> asked = which_plan(mine, key);
  if (!asked) {
    const runtime::ClassPolicy& policy = *state_of(key).policy;
    is_for_good_ = !may_change() && (!policy.trial || policy.trial->is_decided());
    reason = why_native(policy);
    return nullptr;
  }
  if (is_among_the_first()) {
    reason = Reason::FirstCalls;
    return nullptr;
  }
  if (executor_ == nullptr && !make_hidden(key)) {
    reason = *never_;
    return nullptr;
  }
  PlanKey as_asked = key;
  as_asked.which = *asked;
  return cached(as_asked);
}

bool Communicator::make_hidden(const PlanKey& key) {
  // Everybody derives rank 0's part of this plan and compares: a self-test of the planner.
  PlanKey shared = key;
  shared.in_place = false;  // may differ from rank to rank
  shared.which = select::WhichPlan::Best;
  const CachedPlan of_first = group_->plan(0, shared);
  if (agree_and_copy(schedule::hash_of(of_first.prepared.program))) return true;
  never_ = group_->is_even() ? Reason::OneLevel : Reason::NotAgreed;
  return false;
}

void Communicator::add_to(runtime::Verdicts& verdicts) const {
  if (!changes_.empty()) return;  // the next run may find the network as it was at first
  for (const auto& [calls, state] : classes_) {
    if (state.policy == nullptr) continue;
    const auto& trial = state.policy->trial;
    if (!trial || !trial->has_decision()) continue;
    verdicts.set(group_->where(), calls, state.policy->candidates[trial->kept()].name);
  }
}

std::vector<runtime::TrialRecord> Communicator::trials() const {
  std::vector<runtime::TrialRecord> records = past_trials_;
  for (const auto& [calls, state] : classes_) {
    if (state.policy == nullptr) continue;
    const auto& trial = state.policy->trial;
    if (!trial || state.policy->calls_until_trial > 0) continue;
    records.push_back({name(), calls, state.policy->candidates, trial->times(), std::nullopt,
                       std::string(trial->why()), trial->before_decision()});
    if (trial->has_decision()) records.back().kept = trial->kept();
  }
  return records;
}

std::size_t Communicator::undecided() const {
  return static_cast<std::size_t>(
      std::count_if(classes_.begin(), classes_.end(), [](const auto& one) {
        const auto& policy = one.second.policy;
        return policy == nullptr ? one.second.calls_until_policy > 0
                                 : policy->trial && !policy->trial->is_decided();
      }));
}

BlockExecutor& Communicator::block_executor() {
  if (block_executor_ == nullptr) {
    block_executor_ = std::make_unique<BlockExecutor>(executor(), self(), size_,
                                                      tags_of(MPI_COMM_WORLD), ExecutorOptions{});
  }
  return *block_executor_;
}

CountedTrees& Communicator::counted_trees() {
  if (counted_trees_ == nullptr) {
    counted_trees_ = std::make_unique<CountedTrees>(executor(), block_executor(), self(),
                                                    static_cast<Rank>(size_),
                                                    tags_of(MPI_COMM_WORLD), world_.settings);
    counted_trees_->plan_for(group_->machine());
  }
  return *counted_trees_;
}

void Communicator::tell(const PlanKey& key, const CachedPlan& plan) const {
  fmt::print(stderr, "espalier: {} of {} B on {}, root {}: {} ({})\n",
             schedule::name_of(key.operation), key.count * key.element, name(), key.root, plan.name,
             plan.why);
}

bool Communicator::agree_and_copy(std::uint64_t plan_hash) {
  const bool has_room = share_.take();
  const std::uint64_t hash = machine_hash_ ^ plan_hash;
  std::array<std::uint64_t, 3> least{has_room ? 1U : 0U, hash, ~hash};
  const int code = PMPI_Allreduce(MPI_IN_PLACE, least.data(), 3, MPI_UINT64_T, MPI_MIN, comm_);
  const bool agreed = code == MPI_SUCCESS && least[0] == 1 && least[1] == hash && least[2] == ~hash;
  if (agreed) hidden_ = copy(comm_, rank_);
  if (hidden_) {
    holds_share_ = true;
    executor_ = std::make_unique<Executor>(hidden_.get(), rank_, size_, tags_of(MPI_COMM_WORLD),
                                           executor_options());
    return true;
  }
  if (has_room) share_.give_back();
  return false;
}

std::string Communicator::name() const {
  std::array<char, MPI_MAX_OBJECT_NAME> text{};
  int length = 0;
  PMPI_Comm_get_name(comm_, text.data(), &length);
  const std::string given(text.data(), static_cast<std::size_t>(length));
  return fmt::format("{} ({})", given.empty() ? "unnamed" : given, size_);
}

}  // namespace espalier::mpi
