// How a communicator gets its hidden one: at once, where a machine was named, or step by step,
// where the program shall not wait for it (docs/adr/0028-work-that-the-program-pays-for.md).
#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "mpi/communicator.hpp"
#include "mpi/device_buffers.hpp"
#include "mpi/mpi_traits.hpp"
#include "mpi/progress_hook.hpp"
#include "mpi/returned_errors.hpp"
#include "mpi/seconds_now.hpp"
#include "mpi/wire.hpp"
#include "runtime/neighbour_plan.hpp"
#include "schedule/schedule.hpp"
#include "topology/writers.hpp"

namespace espalier::mpi {

using runtime::CachedPlan;
using runtime::Reason;
using runtime::SharedCall;

ChannelOptions channel_options(const runtime::Settings& settings) {
  ChannelOptions options;
  options.most_synchronous_after = settings.bundle_limit.value / kSynchronousUnderWay;
  options.parts_under_way = kPartsUnderWay;
  return options;
}

namespace {

runtime::Tags tags_of(MPI_Comm comm) {
  void* bound = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(comm, MPI_TAG_UB, static_cast<void*>(&bound), &found);
  return runtime::Tags(found != 0 ? *static_cast<int*>(bound) : 32767);
}

/// What a hidden communicator and a segment of shared memory are taken to need on one node, and for
/// each rank more: an estimate. What they took is measured and counted afterwards.
constexpr double kSecondsToTry = 300e-6, kSecondsOfMember = 30e-6;
/// What choosing and making a first plan is taken to need there, and for each rank more.
constexpr double kSecondsToChoose = 500e-6, kSecondsToChooseOfMember = 50e-6;

/// The same ranks again, made with fewer messages than hidden_copy() takes. This rank alone may
/// have none: the ranks must agree on it before they use it.
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

/// Adds what `work` takes to what this rank waited for others.
template <typename Work>
auto waiting(runtime::Account& account, const Work& work) {
  const double begin = seconds_now();
  auto result = work();
  account.wait(seconds_now() - begin);
  return result;
}

/// What joining is predicted to take: some crossings of the slowest link, and a first plan.
/// @param with_memory segments of memory are agreed on too
double seconds_to_join(const topology::Machine& machine, bool with_memory) {
  Time longest;
  for (Rank rank = 1; rank < machine.size(); ++rank) {
    longest = std::max(longest, machine.path(0, rank).latency);
  }
  const double crossings = with_memory ? 6 : 4;
  return crossings * to_microseconds(longest) * 1e-6 + runtime::Account::kSecondsToPlan;
}

/// What measuring far links again is predicted to take: round trips and some hundred kilobytes for
/// each pair.
double seconds_to_measure(const topology::Machine& machine, std::span<const FarPair> pairs) {
  constexpr double kCrossings = 12;
  Time all;
  for (const FarPair& pair : pairs) all += machine.path(pair.from, pair.to).latency;
  return kCrossings * to_microseconds(all) * 1e-6;
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

/// Everybody derives rank 0's part of this plan and compares: a self-test of the planner.
std::uint64_t Communicator::hash_to_agree(const SharedCall& call) {
  const CachedPlan of_first = plan_of(0, {call, false, select::WhichPlan::Best});
  std::uint64_t hash = machine_hash_ ^ schedule::hash_of(of_first.prepared.program);
  if (wants_node_level()) {
    const auto over = group_->plan_over_memory(0, {call, false, select::WhichPlan::OverMemory});
    if (over) hash ^= 3 * schedule::hash_of(over->over_memory->whole.program);
  }
  return hash;
}

/// All members do so before the same call: what they were about to agree on step by step is made at
/// once instead.
void Communicator::end_joining_by_steps() {
  if (join_agreement_ == nullptr) return;
  static_cast<void>(join_agreement_->finish());
  join_agreement_.reset();
  hidden_ = OwnedComm();
  if (std::exchange(holds_share_, false)) share_.give_back();
}

bool Communicator::make_hidden(const SharedCall& call) {
  end_joining_by_steps();
  if (!agree_and_copy(hash_to_agree(call))) {
    never_ = group_->is_even() ? Reason::OneLevel : Reason::NotAgreed;
    return false;
  }
  policies_.join([this] { return std::make_unique<LateAgreement>(hidden_.get()); });
  return true;
}

void Communicator::spend_on_node(double seconds) const {
  world_.account.spend(seconds);
  world_.node_account.spend(seconds);
}

bool Communicator::make_hidden_at_once(const SharedCall& call) {
  const double begin = seconds_now();
  const bool is_made = make_hidden(call);
  spend_on_node(seconds_now() - begin);
  return is_made;
}

bool Communicator::join_by_steps(const SharedCall& call) {
  constexpr std::uint32_t kCallsToAgree = 4;
  if (join_agreement_ == nullptr) {
    if (!asking_to_join_.is_due()) return false;
    asks_to_join_ = !group_->far_pairs().empty();
    holds_share_ = share_.take();
    join_calls_ = 0;
    join_agreement_ = std::make_unique<LateAgreement>(comm_);
    join_agreement_->start(std::array{-world_.counted_seconds(), world_.account.own(),
                                      -world_.account.waited(), holds_share_ ? 0.0 : 1.0,
                                      -world_.clock()});
    return false;
  }
  asking_to_join_.pass();
  if (++join_calls_ < kCallsToAgree) return false;
  runtime::Account& account = world_.account;
  const double begin = seconds_now() - account.waited();
  const std::vector<double> agreed = waiting(account, [&] { return join_agreement_->finish(); });
  join_agreement_.reset();
  bool is_there = false;
  if (!hidden_) {
    const bool has_room = agreed.size() == 5 && agreed[3] == 0.0;
    const double to_join = seconds_to_join(group_->machine(), wants_node_level());
    const bool has_time =
        has_room && runtime::Account::pays_for(to_join, -agreed[0], agreed[1] - agreed[2]);
    if (has_time) {
      // A plan takes processor time: it is made when there is time for it too.
      const std::uint64_t hash = hash_to_agree(call);
      const auto low = static_cast<double>(hash & 0xffffffffU);
      const auto high = static_cast<double>(hash >> 32U);
      hidden_ = waiting(account, [&] { return twin(comm_); });
      join_calls_ = 0;
      join_agreement_ = std::make_unique<LateAgreement>(comm_);
      join_agreement_->start(
          std::array{hidden_ ? 0.0 : 1.0, may_start() ? 0.0 : 1.0, low, -low, high, -high});
    } else {
      if (std::exchange(holds_share_, false)) share_.give_back();
      if (has_room) {
        asking_to_join_.wait_for(
            runtime::Account::seconds_to_pay_for(to_join, agreed[1] - agreed[2]), -agreed[4]);
      }
    }
    if (!has_room) never_ = group_->is_even() ? Reason::OneLevel : Reason::NotAgreed;
  } else if (agreed.size() == 6 && agreed[0] == 0.0 && agreed[2] == -agreed[3] &&
             agreed[4] == -agreed[5]) {
    use_hidden(agreed[1] == 0.0);
    policies_.join([this] { return std::make_unique<LateAgreement>(hidden_.get()); });
    is_there = true;
  } else {
    never_ = group_->is_even() ? Reason::OneLevel : Reason::NotAgreed;
  }
  account.spend(seconds_now() - account.waited() - begin);
  return is_there;
}

bool Communicator::may_start() {
  using runtime::NonBlocking;
  const NonBlocking which = world_.settings.nonblocking;
  const bool is_wanted = which == NonBlocking::Planned ||
                         (which == NonBlocking::Measured && !group_->far_pairs().empty());
  // Plans combine in the memory of the host. Who asks for them knows; who does not need not.
  const bool may_be_elsewhere = which == NonBlocking::Measured && takes_device_buffers();
  return is_wanted && !may_be_elsewhere && !world_.is_threaded && has_progress_hook();
}

bool Communicator::wants_segment() const {
  if (kIsSimulated || size_ > NodeSegment::kMostMembers) return false;
  const runtime::Settings& settings = world_.settings;
  const bool is_tried =
      runtime::may_try(settings) && group_->is_even() && group_->far_pairs().empty();
  const bool is_asked_for = settings.shared == runtime::SharedMemory::Always ||
                            (settings.shared == runtime::SharedMemory::Tried && is_tried);
  return is_asked_for && !does_without_segment_ && !settings.reproducible &&
         !names_a_plan(settings) && world_.tracer == nullptr &&
         select::is_one_node(group_->machine());
}

bool Communicator::wants_one_copy() const {
  return world_.settings.one_copy != runtime::SharedMemory::Never && !does_without_one_copy_ &&
         wants_segment();
}

bool Communicator::wants_node_level() const {
  const runtime::Settings& settings = world_.settings;
  const bool is_asked_for = !kIsSimulated && settings.shared == runtime::SharedMemory::Always &&
                            !does_without_segment_ && !settings.reproducible &&
                            !names_a_plan(settings) && world_.tracer == nullptr;
  // Nobody else looks at every member for nothing.
  return is_asked_for && group_->nodes().are_several();
}

/// A newer machine may have other nodes than those that have segments.
bool Communicator::may_go_over_memory() const {
  if (!wants_node_level()) return false;
  if (node_level_ == nullptr) return executor_ == nullptr;
  return node_level_->nodes() == group_->nodes();
}

bool Communicator::is_time_to_try() {
  const bool is_named = kIsSimulated || !world_.settings.machine.empty();
  if (!runtime::may_try(world_.settings) || (is_named && !wants_segment())) return true;
  if (!asking_to_join_.is_due()) return false;
  const double begin = seconds_now();
  const runtime::Account& account = world_.node_account;
  std::array<double, 3> least{world_.clock(), -account.own(), account.waited()};
  const int code = PMPI_Allreduce(MPI_IN_PLACE, least.data(), 3, MPI_DOUBLE, MPI_MIN, comm_);
  const double waited = seconds_now() - begin;
  world_.account.wait(waited);
  world_.node_account.wait(waited);
  const double predicted =
      kSecondsToTry + kSecondsToChoose + (kSecondsOfMember + kSecondsToChooseOfMember) * size_;
  if (code != MPI_SUCCESS) return false;
  const bool is_time = runtime::Account::pays_for(predicted, least[0], least[2] - least[1]);
  if (is_time) asking_to_join_ = runtime::Asking(0);
  return is_time;
}

bool Communicator::is_time_to_measure() {
  if (!world_.learns_late || world_.is_threaded) return true;
  const double begin = seconds_now();
  const runtime::Account& account = world_.account;
  std::array<double, 3> largest{-world_.counted_seconds(), account.own(), -account.waited()};
  const int code =
      PMPI_Allreduce(MPI_IN_PLACE, largest.data(), 3, MPI_DOUBLE, MPI_MAX, hidden_.get());
  world_.account.wait(seconds_now() - begin);
  return code == MPI_SUCCESS &&
         runtime::Account::pays_for(seconds_to_measure(group_->machine(), group_->far_pairs()),
                                    -largest[0], largest[1] - largest[2]);
}

void Communicator::do_without() {
  if (lacks_one_copy()) {
    does_without_one_copy_ = true;
  } else {
    does_without_segment_ = true;
  }
  plan_for(group_);
}

std::vector<runtime::Candidate> Communicator::candidates(const SharedCall& call) {
  if (schedule::is_neighbourhood(call.operation)) {
    return runtime::neighbour_candidates(neighbour_chooser(), world_.settings, call);
  }
  const bool may_have_segment = wants_segment() && (executor_ == nullptr || segment_ != nullptr);
  const topology::Machine& machine = group_->machine();
  const schedule::Collective collective = runtime::collective_of(call, machine.size());
  if (!may_have_segment || call.gaps || !NodeSegment::may_serve(collective)) {
    return with_memory(group_->candidates(call), call);
  }
  const auto time = select::predict_shared_memory(machine, collective);
  const double predicted = time ? to_microseconds(*time) * 1e-6 : -1;
  const std::string name(select::kSharedMemory);
  const runtime::Candidate once{select::WhichPlan::OneCopy, std::string(select::kOneCopy), -1};
  const bool is_tried = runtime::may_try(world_.settings);
  const bool has_once = is_tried && wants_one_copy() && select::is_worth_one_copy(collective);
  std::vector<runtime::Candidate> all;
  if (group_->is_even() && is_tried) {
    // What the chooser would name. It is not asked: that takes milliseconds, and there may never be
    // time for the trial.
    all = {{std::nullopt, "native", -1}, {select::WhichPlan::Best, name, predicted}};
    if (has_once) all.push_back(once);
    return all;
  }
  // Nothing is measured: one copy is taken only if that was asked for.
  const bool is_once = !is_tried && wants_one_copy() && select::may_copy_once(collective) &&
                       world_.settings.one_copy == runtime::SharedMemory::Always;
  // All plans go through memory: one of them stands for them.
  bool has_memory = false;
  for (const runtime::Candidate& one : group_->candidates(call)) {
    if (!one.which) {
      all.push_back(one);
    } else if (!std::exchange(has_memory, true)) {
      all.push_back(
          is_once ? once : runtime::Candidate{one.which, name, time ? predicted : one.predicted});
    }
  }
  if (has_once && has_memory) all.push_back(once);
  return all;
}

/// It takes the place of the second best plan, where there is one, and is tried if it is predicted
/// near what prediction prefers.
std::vector<runtime::Candidate> Communicator::with_memory(std::vector<runtime::Candidate> all,
                                                          const SharedCall& call) {
  constexpr double kNear = 1.3;
  if (call.gaps || call.irregular || !may_go_over_memory()) return all;
  const bool is_tried = runtime::may_try(world_.settings);
  // Without trials what is forced goes through memory only if that was asked for.
  if (!is_tried && !all.front().which) return all;
  auto over = group_->candidate_over_memory(call);
  if (!over) return all;
  if (!is_tried) {
    all.front() = std::move(*over);
    return all;
  }
  const double preferred = all.front().predicted;
  if (preferred >= 0 && over->predicted > kNear * preferred) return all;
  if (all.size() == 3) all.pop_back();
  all.push_back(std::move(*over));
  return all;
}

int Communicator::processes_of_node() const {
  const std::vector<int>& leaders = world_.places.leaders;
  if (leaders.empty()) return static_cast<int>(group_->nodes().largest());
  return static_cast<int>(
      std::count(leaders.begin(), leaders.end(), leaders[static_cast<std::size_t>(world_.rank)]));
}

void Communicator::use_hidden(bool may_all_start) {
  holds_share_ = true;
  executor_ = std::make_unique<Executor>(hidden_.get(), rank_, size_, tags_of(MPI_COMM_WORLD),
                                         channel_options(world_.settings));
  if (wants_segment()) {
    const bool is_asked_for = world_.settings.shared == runtime::SharedMemory::Always;
    segment_ = NodeSegment::make(
        executor_->channel(), share_.memory,
        {group_->members(), world_.settings.shared_limit.value, processes_of_node(),
         !is_asked_for && takes_device_buffers(), wants_one_copy()});
  }
  if (wants_node_level()) {
    // Whoever asks for it has no buffers on devices.
    node_level_ = NodeLevel::make(executor_->channel(), share_.memory,
                                  {group_->members(), group_->nodes(),
                                   world_.settings.shared_limit.value, processes_of_node()});
    // Plans over memory may have been made before.
    if (node_level_ == nullptr) plans_ = runtime::PlanCache();
  }
  if (world_.tracer != nullptr) take_down_calls();
  may_all_start_ = may_all_start;
}

void Communicator::begin_starting() {
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

}  // namespace espalier::mpi
