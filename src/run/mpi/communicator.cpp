#include "mpi/communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

#include "mpi/mpi_traits.hpp"
#include "mpi/wire.hpp"
#include "schedule/schedule.hpp"
#include "topology/views.hpp"
#include "topology/writers.hpp"

namespace espalier::mpi {

using runtime::CachedPlan;
using runtime::Reason;
using runtime::SharedCall;

namespace {

ChannelOptions channel_options() {
  ChannelOptions options;
  options.parts_under_way = kPartsUnderWay;
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

bool has_message(const OwnedComm& comm) {
  int is_there = 0;
  if (comm) PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm.get(), &is_there, MPI_STATUS_IGNORE);
  return is_there != 0;
}

}  // namespace

/// Not made by MPI_Comm_dup, which would call the program's attribute callbacks.
OwnedComm hidden_copy(MPI_Comm from, int rank) {
  const ReturnedErrors returned(from);
  MPI_Comm made = MPI_COMM_NULL;
  int is_made = PMPI_Comm_split(from, 0, rank, &made) == MPI_SUCCESS ? 1 : 0;
  OwnedComm owned = is_made != 0 ? OwnedComm(made) : OwnedComm();
  const int code = PMPI_Allreduce(MPI_IN_PLACE, &is_made, 1, MPI_INT, MPI_MIN, from);
  if (code != MPI_SUCCESS || is_made == 0) return {};
  PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  return owned;
}

namespace {

/// The same ranks again, made with fewer messages than copy() takes. This rank alone may have none:
/// the ranks must agree on it before they use it.
OwnedComm twin(MPI_Comm from) {
  const ReturnedErrors returned(from);
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(from, &group);
  const OwnedGroup own_group(group);
  MPI_Comm made = MPI_COMM_NULL;
  if (PMPI_Comm_create(from, group, &made) != MPI_SUCCESS) return {};
  PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  return OwnedComm(made);
}

/// What the making of a communicator is predicted to take: some crossings of its slowest link.
double seconds_to_join(const topology::Machine& machine) {
  Time longest;
  for (Rank rank = 1; rank < machine.size(); ++rank) {
    longest = std::max(longest, machine.path(0, rank).latency);
  }
  constexpr double kCrossings = kNativeMpi == select::NativeMpi::OpenMpi ? 8 : 4;
  return kCrossings * to_microseconds(longest) * 1e-6;
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
  never_ = why_never(is_off);
  // The machine may be taken now if it was known before any call, or if no other call can overtake
  // this one (docs/adr/0011-discovery-in-the-first-call.md).
  const bool is_settled = !world.learns_late || !world.is_threaded;
  if (never_ == Reason::MachineUnknown && is_settled && world.known() != nullptr) take_machine();
}

Communicator::~Communicator() {
  pending_.reset();
  if (has_failed_ && executor_ != nullptr) executor_->channel().abandon_pace();
  policies_.leave();
  join_agreement_.reset();
  counted_trees_.reset();
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
  pending_.reset();
  policies_.leave();
  counted_trees_.reset();
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
  taken_ = world_.known();
  machine_hash_ = taken_->hash;
  const runtime::Settings& settings = world_.settings;
  const bool is_told = settings.force || settings.reproducible || !settings.algorithm.empty();
  never_.reset();
  plan_for(groups_.find(world_, world_ranks_));
  world_ranks_ = {};
  if (group_->is_even() && !settings.trial && !is_told) never_ = Reason::OneLevel;
}

void Communicator::plan_anew() {
  taken_ = world_.known();
  machine_hash_ = taken_->hash;
  changes_.clear();
  plan_for(groups_.find(world_, group_->members()));
}

void Communicator::plan_for(std::shared_ptr<GroupPlans> group) {
  plans_ = runtime::PlanCache();
  settled_.plan = nullptr;
  multicasts_.clear();
  if (counted_trees_ != nullptr) counted_trees_->plan_for(group->machine());
  group_ = std::move(group);
  // The network may have been another in earlier runs.
  policies_.begin(group_->is_even(), group_->far_pairs().empty(), world_.settings, group_->place(),
                  changes_.empty() ? &world_.verdicts : nullptr,
                  [this](const SharedCall& call) { return group_->candidates(call); });
}

bool Communicator::measure_again() {
  if (!probes_) {
    probes_ = hidden_copy(hidden_.get(), rank_);
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
  changes_.insert(changes_.end(), found.words.begin(), found.words.end());
  plan_for(groups_.changed(world_, *group_, std::move(machine)));
  if (world_.settings.log > 0 && world_.rank == 0) {
    for (const std::string& words : found.words) {
      fmt::print(stderr, "espalier: {}: {}; plans are made anew\n", name(), words);
    }
  }
  return true;
}

const CachedPlan* Communicator::cached(const runtime::PlanKey& key) {
  settled_.plan = nullptr;  // it may be evicted now
  const CachedPlan* plan = plans_.find(key);
  if (plan != nullptr) return plan;
  plan = plans_.insert(key, group_->plan(static_cast<Rank>(rank_), key));
  if (world_.settings.log > 1 && world_.rank == 0) tell(key, *plan);
  return plan;
}

Communicator::Next Communicator::next(runtime::PlanKey& key) {
  using First = runtime::Take::First;
  if (pending_ != nullptr && !pending_->may_block()) progress_.let_block(*pending_);
  if (settled_.plan != nullptr && settled_.key == key) return {settled_.plan, {}, false, nullptr};
  runtime::ClassPolicy* policy = &policies_.at(key);
  runtime::Take take = policy->next(world_.clock);
  if (take.first == First::Join) {
    // Whoever names a machine wants plans for it; what was found must not cost more than it gains.
    const bool is_there = world_.learns_late ? join_by_steps(key) : make_hidden(key);
    if (!is_there && !never_) return {nullptr, Reason::FirstCalls, false, policy};
    if (!is_there) return {nullptr, *never_, true};
    take = policy->joined(world_.clock);
  }
  if (take.first == First::Measure) {
    if (measure_again()) {
      policy = &policies_.at(key);
      take = policy->next(world_.clock);
    } else {
      take = policy->unchanged();
    }
  }
  runtime::ClassPolicy* const timed = take.is_timed ? policy : nullptr;
  if (!take.which) return {nullptr, take.why, take.is_for_good, timed};
  runtime::PlanKey asked = key;
  key.which = *take.which;
  const CachedPlan* const plan = cached(key);
  if (take.is_settled && timed == nullptr) settled_ = {std::move(asked), plan};
  return {plan, {}, false, timed};
}

std::shared_ptr<const CachedPlan> Communicator::plan_to_start(runtime::PlanKey key) {
  // Classes that are forgotten may wait for agreements.
  if (pending_ == nullptr || policies_.is_full_for(key)) return nullptr;
  const runtime::ClassPolicy& policy = policies_.at(key);
  const bool is_final = !policy.is_undecided() || policy.has_decision();
  const runtime::Take take = policy.outlook();
  if (!is_final || !take.which) return nullptr;
  key.which = *take.which;
  static_cast<void>(cached(key));
  return plans_.held();
}

void Communicator::start(std::unique_ptr<PendingCall> call, MPI_Request* request) {
  const int number = progress_.open(request);
  call->ended = [this, number](int code) {
    if (code != MPI_SUCCESS) mark_failed();
    progress_.complete(number, code, comm_);
  };
  progress_.start(*pending_, std::move(call));
}

void Communicator::skip_pending() {
  mark_failed();
  progress_.start(*pending_, nullptr);
}

void Communicator::finish_pending(double patience) {
  if (pending_ != nullptr && !progress_.finish(*pending_, patience)) mark_failed();
}

/// Everybody derives rank 0's part of this plan and compares: a self-test of the planner.
std::uint64_t Communicator::hash_to_agree(const SharedCall& call) {
  const CachedPlan of_first = group_->plan(0, {call, false, select::WhichPlan::Best});
  return machine_hash_ ^ schedule::hash_of(of_first.prepared.program);
}

bool Communicator::make_hidden(const SharedCall& call) {
  if (!agree_and_copy(hash_to_agree(call))) {
    never_ = group_->is_even() ? Reason::OneLevel : Reason::NotAgreed;
    return false;
  }
  policies_.join([this] { return std::make_unique<LateAgreement>(hidden_.get()); });
  return true;
}

bool Communicator::join_by_steps(const SharedCall& call) {
  constexpr std::uint32_t kCallsToAgree = 4;
  if (join_agreement_ == nullptr) {
    if (!asking_to_join_.is_due()) return false;
    const std::uint64_t hash = hash_to_agree(call);
    holds_share_ = share_.take();
    join_calls_ = 0;
    join_agreement_ = std::make_unique<LateAgreement>(comm_);
    const auto low = static_cast<double>(hash & 0xffffffffU);
    const auto high = static_cast<double>(hash >> 32U);
    join_agreement_->start(std::array{-world_.clock(), world_.account.own(),
                                      holds_share_ ? 0.0 : 1.0, low, -low, high, -high});
    return false;
  }
  if (++join_calls_ < kCallsToAgree) return false;
  const double begin = PMPI_Wtime();
  const std::vector<double> agreed = join_agreement_->finish();
  join_agreement_.reset();
  bool is_there = false;
  if (!hidden_) {
    const bool are_alike = agreed.size() == 7 && agreed[2] == 0.0 && agreed[3] == -agreed[4] &&
                           agreed[5] == -agreed[6];
    const bool has_time =
        are_alike &&
        runtime::Account::pays_for(seconds_to_join(group_->machine()), -agreed[0], agreed[1]);
    if (has_time) {
      hidden_ = twin(comm_);
      join_calls_ = 0;
      join_agreement_ = std::make_unique<LateAgreement>(comm_);
      join_agreement_->start(std::array{hidden_ ? 0.0 : 1.0, may_start() ? 0.0 : 1.0});
    } else if (std::exchange(holds_share_, false)) {
      share_.give_back();
    }
    if (!are_alike) never_ = group_->is_even() ? Reason::OneLevel : Reason::NotAgreed;
  } else if (agreed.size() == 2 && agreed[0] == 0.0) {
    use_hidden(agreed[1] == 0.0);
    policies_.join([this] { return std::make_unique<LateAgreement>(hidden_.get()); });
    is_there = true;
  } else {
    never_ = Reason::NotAgreed;
  }
  world_.account.spend(PMPI_Wtime() - begin);
  return is_there;
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
  fmt::print(stderr, "espalier: {} of {} B on {}, root {}: {} ({})\n",
             schedule::name_of(call.operation), call.count * call.element, name(), call.root,
             plan.name, plan.why);
}

bool Communicator::may_start() {
  return world_.settings.nonblocking && !world_.is_threaded && progress_.prepare();
}

void Communicator::use_hidden(bool may_all_start) {
  holds_share_ = true;
  executor_ = std::make_unique<Executor>(hidden_.get(), rank_, size_, tags_of(MPI_COMM_WORLD),
                                         channel_options());
  if (world_.tracer != nullptr) take_down_calls();
  if (!may_all_start) return;
  pending_ = std::make_unique<PendingCalls>(executor_->channel());
  executor_->channel().step_pending = [this] { return progress_.step(); };
}

bool Communicator::agree_and_copy(std::uint64_t hash) {
  const bool has_room = share_.take();
  std::array<std::uint64_t, 4> least{has_room ? 1U : 0U, hash, ~hash, may_start() ? 1U : 0U};
  const int code = PMPI_Allreduce(MPI_IN_PLACE, least.data(), 4, MPI_UINT64_T, MPI_MIN, comm_);
  const bool agreed = code == MPI_SUCCESS && least[0] == 1 && least[1] == hash && least[2] == ~hash;
  if (agreed) hidden_ = hidden_copy(comm_, rank_);
  if (hidden_) {
    use_hidden(least[3] == 1);
    return true;
  }
  if (has_room) share_.give_back();
  return false;
}

void Communicator::take_down_calls() {
  const bool is_first = rank_ == 0;
  trace::Communicator about{name(), group_->members(), ""};
  if (is_first) about.machine = topology::write_json(group_->machine());
  trace_log_ = &world_.tracer->join(executor_->channel(), std::move(about));
}

std::string Communicator::name() const {
  std::array<char, MPI_MAX_OBJECT_NAME> text{};
  int length = 0;
  PMPI_Comm_get_name(comm_, text.data(), &length);
  const std::string given(text.data(), static_cast<std::size_t>(length));
  return fmt::format("{} ({})", given.empty() ? "unnamed" : given, size_);
}

}  // namespace espalier::mpi
