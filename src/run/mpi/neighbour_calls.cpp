#include "mpi/neighbour_calls.hpp"

#include <algorithm>
#include <array>

#include "mpi/mpi_traits.hpp"
#include "mpi/returned_errors.hpp"
#include "mpi/seconds_now.hpp"

namespace espalier::mpi {

using runtime::Reason;

namespace {

/// Calls on a communicator before its neighbours are told and lengths are agreed on: many
/// communicators are used once and freed.
constexpr std::uint32_t kCallsBeforeTelling = 1;
constexpr std::uint32_t kCallsToHear = 4;

bool reaches_far(const topology::Machine& machine) {
  const auto clusters = machine.clusters();
  return std::any_of(clusters.begin(), clusters.end(), [](const topology::Cluster& cluster) {
    return cluster.member_count > 1 && topology::kTransport.is_far(cluster.channel.latency);
  });
}

/// Whether the user wants plans whatever the machine is.
bool asks_for_plans(const runtime::Settings& settings) {
  const auto is_planned = [&](schedule::Operation operation) {
    return settings.algorithm.contains(operation) && !is_named_native(settings, operation);
  };
  return settings.force || is_planned(schedule::Operation::NeighbourAllgather) ||
         is_planned(schedule::Operation::NeighbourAlltoall);
}

/// What telling all ranks is predicted to take: some crossings of the slowest link, and a choice.
double seconds_to_tell(const topology::Machine& machine) {
  Time longest;
  for (const topology::Cluster& cluster : machine.clusters()) {
    longest = std::max(longest, cluster.channel.latency);
  }
  constexpr double kCrossings = 4;
  return kCrossings * to_microseconds(longest) * 1e-6 + runtime::Account::kSecondsToPlan;
}

}  // namespace

const OwnNeighbours& NeighbourCalls::own() {
  if (all_ == nullptr) all_ = std::make_unique<Neighbourhood>(comm_);
  return all_->own();
}

std::optional<Reason> NeighbourCalls::why_none(const GroupPlans& group) {
  static_cast<void>(own());
  Neighbourhood& all = *all_;
  const bool is_told = asks_for_plans(world_.settings);
  if (!is_told && !reaches_far(group.machine())) {
    return group.is_even() ? Reason::OneLevel : Reason::NoGain;
  }
  if (all.graph() == nullptr && !all.is_refused()) {
    if (!is_told && calls_++ < kCallsBeforeTelling) return Reason::FirstCalls;
    if (is_told || !world_.learns_late) {
      tell_at_once();
    } else if (!tell_by_steps(group.machine())) {
      return Reason::FirstCalls;
    }
  }
  if (all.is_refused()) return Reason::Neighbourhood;
  return std::nullopt;
}

std::optional<std::uint64_t> NeighbourCalls::agreed_block(schedule::Operation operation) const {
  if (asks_for_plans(world_.settings)) return select::kUnknownBlock;
  const auto known = lengths_.find(operation);
  return known == lengths_.end() ? std::nullopt : known->second.bytes();
}

bool NeighbourCalls::agree_on_block(schedule::Operation operation, std::uint64_t longest) {
  if (asks_for_plans(world_.settings)) return false;
  lengths_.try_emplace(operation, comm_).first->second.begin_call(longest);
  return true;
}

void NeighbourCalls::tell_at_once() {
  if (!all_->needs_exchange()) return all_->tell_alone();
  std::array<int, 2> most = all_->degrees();
  const ReturnedErrors returned(comm_);
  const int code = PMPI_Allreduce(MPI_IN_PLACE, most.data(), 2, MPI_INT, MPI_MAX, comm_);
  if (code != MPI_SUCCESS) return all_->refuse();
  all_->exchange(most);
}

bool NeighbourCalls::tell_by_steps(const topology::Machine& machine) {
  runtime::Account& account = world_.account;
  if (telling_ == nullptr) {
    if (!asking_.is_due()) return false;
    const std::array<int, 2> own = all_->degrees();
    telling_ = std::make_unique<LateAgreement>(comm_);
    telling_->start(std::array{-world_.counted_seconds(), account.own_with_regret(),
                               -account.waited(), static_cast<double>(own[0]),
                               static_cast<double>(own[1]), -world_.clock()});
    telling_calls_ = 0;
    return false;
  }
  asking_.pass();
  if (++telling_calls_ < kCallsToHear) return false;
  const double begin = seconds_now();
  const std::vector<double> agreed = telling_->finish();
  telling_.reset();
  bool is_over = true;
  if (agreed.size() != 6) {
    all_->refuse();
  } else {
    const double needed = seconds_to_tell(machine);
    const double spent = agreed[1] - agreed[2];
    is_over = runtime::Account::pays_for(needed, -agreed[0], spent);
    if (is_over && !all_->needs_exchange()) {
      all_->tell_alone();
    } else if (is_over) {
      all_->exchange({static_cast<int>(agreed[3]), static_cast<int>(agreed[4])});
    } else {
      asking_.wait_for(runtime::Account::seconds_to_pay_for(needed, spent), -agreed[5]);
    }
  }
  account.wait(seconds_now() - begin);
  return is_over;
}

select::NeighbourChooser& NeighbourCalls::chooser(const GroupPlans& group) {
  if (chooser_ == nullptr) {
    chooser_ = std::make_unique<select::NeighbourChooser>(
        group.machine(), all_->graph(), runtime::rules_of(world_.settings, kNativeMpi));
  }
  return *chooser_;
}

void NeighbourCalls::complete_agreements() {
  if (telling_ != nullptr) telling_->complete();
  for (auto& [operation, length] : lengths_) length.complete();
}

void NeighbourCalls::leave() {
  telling_.reset();
  lengths_.clear();
}

}  // namespace espalier::mpi
