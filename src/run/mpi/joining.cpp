#include "mpi/joining.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "mpi/device_buffers.hpp"
#include "mpi/mpi_traits.hpp"
#include "mpi/own_work.hpp"
#include "mpi/progress_hook.hpp"

namespace espalier::mpi {
namespace {

/// Calls between the start of an agreement and its end.
constexpr std::uint32_t kCallsToAgree = 4;
/// What a hidden communicator and a segment of shared memory are taken to need on one node, and for
/// each rank more: an estimate. What they took is measured and counted afterwards.
constexpr double kSecondsToTry = 300e-6, kSecondsOfMember = 30e-6;
/// What choosing and making a first plan is taken to need there, and for each rank more.
constexpr double kSecondsToChoose = 500e-6, kSecondsToChooseOfMember = 50e-6;

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

}  // namespace

bool Joining::may_start(const GroupPlans& group) const {
  using runtime::NonBlocking;
  const NonBlocking which = world_.settings.nonblocking;
  const bool is_wanted = which == NonBlocking::Planned ||
                         (which == NonBlocking::Measured && !group.far_pairs().empty());
  // Plans combine in the memory of the host. Who asks for them knows; who does not need not.
  const bool may_be_elsewhere = which == NonBlocking::Measured && takes_device_buffers();
  return is_wanted && !may_be_elsewhere && !world_.is_threaded && has_progress_hook();
}

void Joining::drop_share() {
  if (std::exchange(holds_share_, false)) share_.give_back();
}

/// All members do so before the same call: what they were about to agree on step by step is made at
/// once instead.
void Joining::end_steps() {
  if (agreement_ == nullptr) return;
  static_cast<void>(agreement_->finish());
  agreement_.reset();
  hidden_ = OwnedComm();
  drop_share();
}

Joining::State Joining::at_once(const GroupPlans& group, const Hash& hash) {
  end_steps();
  const std::uint64_t own = hash();
  holds_share_ = share_.take();
  std::array<std::uint64_t, 4> least{holds_share_ ? 1U : 0U, own, ~own, may_start(group) ? 1U : 0U};
  const int code = PMPI_Allreduce(MPI_IN_PLACE, least.data(), 4, MPI_UINT64_T, MPI_MIN, comm_);
  const bool agreed = code == MPI_SUCCESS && least[0] == 1 && least[1] == own && least[2] == ~own;
  if (agreed) {
    int rank = 0;
    PMPI_Comm_rank(comm_, &rank);
    hidden_ = hidden_copy(comm_, rank);
  }
  may_all_start_ = hidden_ && least[3] == 1;
  if (!hidden_) drop_share();
  return state_ = hidden_ ? State::There : State::Never;
}

void Joining::begin_steps(const GroupPlans& group) {
  asks_ = !group.far_pairs().empty();
  holds_share_ = share_.take();
  calls_ = 0;
  state_ = State::Asking;
  agreement_ = std::make_unique<LateAgreement>(comm_);
  agreement_->start(std::array{-world_.counted_seconds(), world_.account.own_with_regret(),
                               -world_.account.waited(), holds_share_ ? 0.0 : 1.0,
                               -world_.clock()});
}

Joining::State Joining::by_steps(GroupPlans& group, const MemoryUse& memory, const Hash& hash) {
  if (state_ == State::Waiting) {
    if (asking_.is_due()) begin_steps(group);
    return state_;
  }
  asking_.pass();
  if (++calls_ < kCallsToAgree) return state_;
  const OwnWork work(world_);
  const std::vector<double> agreed = waiting(world_, [this] { return agreement_->finish(); });
  agreement_.reset();
  if (state_ == State::Asking) {
    make_in_time(agreed, group, memory, hash);
  } else {
    const bool is_there = agreed.size() == 6 && agreed[0] == 0.0 && agreed[2] == -agreed[3] &&
                          agreed[4] == -agreed[5];
    state_ = is_there ? State::There : State::Never;
    may_all_start_ = is_there && agreed[1] == 0.0;
    if (!hidden_) drop_share();
  }
  return state_;
}

/// @param agreed what begin_steps() has asked
void Joining::make_in_time(std::span<const double> agreed, GroupPlans& group,
                           const MemoryUse& memory, const Hash& hash) {
  const bool has_room = agreed.size() == 5 && agreed[3] == 0.0;
  if (!has_room) {
    drop_share();
    state_ = State::Never;
    return;
  }
  const double to_join = seconds_to_join(group.machine(), memory.wants_node_level(group));
  const double spent = agreed[1] - agreed[2];
  if (!runtime::Account::pays_for(to_join, -agreed[0], spent)) {
    drop_share();
    asking_.wait_for(runtime::Account::seconds_to_pay_for(to_join, spent), -agreed[4]);
    state_ = State::Waiting;
    return;
  }
  // A plan takes processor time: it is made when there is time for it too.
  const std::uint64_t own = hash();
  const auto low = static_cast<double>(own & 0xffffffffU);
  const auto high = static_cast<double>(own >> 32U);
  hidden_ = waiting(world_, [this] { return hidden_twin(comm_); });
  calls_ = 0;
  agreement_ = std::make_unique<LateAgreement>(comm_);
  agreement_->start(
      std::array{hidden_ ? 0.0 : 1.0, may_start(group) ? 0.0 : 1.0, low, -low, high, -high});
  state_ = State::Comparing;
}

bool Joining::is_time_to_try(const GroupPlans& group, const MemoryUse& memory) {
  const bool is_named = kIsSimulated || !world_.settings.machine.empty();
  if (!runtime::may_try(world_.settings) || (is_named && !memory.wants_segment(group))) return true;
  if (!asking_.is_due()) return false;
  const double begin = seconds_now();
  const runtime::Account& account = world_.node_account;
  std::array<double, 3> least{world_.clock(), -account.own(), account.waited()};
  const int code = PMPI_Allreduce(MPI_IN_PLACE, least.data(), 3, MPI_DOUBLE, MPI_MIN, comm_);
  const double waited = seconds_now() - begin;
  world_.account.wait(waited);
  world_.node_account.wait(waited);
  const auto members = static_cast<double>(group.members().size());
  const double predicted =
      kSecondsToTry + kSecondsToChoose + (kSecondsOfMember + kSecondsToChooseOfMember) * members;
  if (code != MPI_SUCCESS) return false;
  const bool is_time = runtime::Account::pays_for(predicted, least[0], least[2] - least[1]);
  if (is_time) asking_ = runtime::Asking(0);
  return is_time;
}

void Joining::complete_agreement() {
  if (agreement_ != nullptr) agreement_->complete();
}

void Joining::leave(bool is_abandoned) {
  if (is_abandoned) hidden_.abandon();
  hidden_ = OwnedComm();
  state_ = State::Never;
  may_all_start_ = false;
  if (std::exchange(holds_share_, false) && !is_abandoned) share_.give_back();
}

}  // namespace espalier::mpi
