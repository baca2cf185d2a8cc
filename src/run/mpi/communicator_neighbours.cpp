// What a communicator does for neighbourhood collectives
// (docs/adr/0043-neighbours-are-told-in-a-call.md).
#include <algorithm>
#include <array>

#include "mpi/communicator.hpp"
#include "mpi/mpi_traits.hpp"
#include "mpi/returned_errors.hpp"
#include "mpi/seconds_now.hpp"
#include "runtime/neighbour_plan.hpp"

namespace espalier::mpi {

using runtime::Reason;

namespace {

/// Calls on a communicator before its neighbours are told and lengths are agreed on: many
/// communicators are used once and freed.
constexpr std::uint32_t kCallsBeforeTelling = 1;
constexpr std::uint32_t kCallsToAgree = 4;

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

const OwnNeighbours& Communicator::own_neighbours() {
  if (neighbourhood_ == nullptr) neighbourhood_ = std::make_unique<Neighbourhood>(comm_);
  return neighbourhood_->own();
}

std::optional<Reason> Communicator::why_no_neighbours() {
  static_cast<void>(own_neighbours());
  Neighbourhood& all = *neighbourhood_;
  const bool is_told = asks_for_plans(world_.settings);
  if (!is_told && !reaches_far(group_->machine())) {
    return group_->is_even() ? Reason::OneLevel : Reason::NoGain;
  }
  if (all.graph() == nullptr && !all.is_refused()) {
    if (!is_told && neighbour_calls_++ < kCallsBeforeTelling) return Reason::FirstCalls;
    if (is_told || !world_.learns_late) {
      tell_neighbours_at_once();
    } else if (!tell_neighbours_by_steps()) {
      return Reason::FirstCalls;
    }
  }
  if (all.is_refused()) return Reason::Neighbourhood;
  return std::nullopt;
}

std::optional<std::uint64_t> Communicator::agreed_block(schedule::Operation operation) const {
  if (asks_for_plans(world_.settings)) return select::kUnknownBlock;
  const auto known = block_lengths_.find(operation);
  return known == block_lengths_.end() ? std::nullopt : known->second.bytes();
}

bool Communicator::agree_on_block(schedule::Operation operation, std::uint64_t longest) {
  if (asks_for_plans(world_.settings)) return false;
  block_lengths_.try_emplace(operation, comm_).first->second.begin_call(longest);
  return true;
}

void Communicator::tell_neighbours_at_once() {
  if (!neighbourhood_->needs_exchange()) return neighbourhood_->tell_alone();
  std::array<int, 2> most = neighbourhood_->degrees();
  const ReturnedErrors returned(comm_);
  const int code = PMPI_Allreduce(MPI_IN_PLACE, most.data(), 2, MPI_INT, MPI_MAX, comm_);
  if (code != MPI_SUCCESS) return neighbourhood_->refuse();
  neighbourhood_->exchange(most);
}

bool Communicator::tell_neighbours_by_steps() {
  runtime::Account& account = world_.account;
  if (telling_ == nullptr) {
    if (!asking_to_tell_.is_due()) return false;
    const std::array<int, 2> own = neighbourhood_->degrees();
    telling_ = std::make_unique<LateAgreement>(comm_);
    telling_->start(std::array{-world_.counted_seconds(), account.own(), -account.waited(),
                               static_cast<double>(own[0]), static_cast<double>(own[1]),
                               -world_.clock()});
    telling_calls_ = 0;
    return false;
  }
  asking_to_tell_.pass();
  if (++telling_calls_ < kCallsToAgree) return false;
  const double begin = seconds_now();
  const std::vector<double> agreed = telling_->finish();
  telling_.reset();
  bool is_over = true;
  if (agreed.size() != 6) {
    neighbourhood_->refuse();
  } else {
    const double needed = seconds_to_tell(group_->machine());
    const double spent = agreed[1] - agreed[2];
    is_over = runtime::Account::pays_for(needed, -agreed[0], spent);
    if (is_over && !neighbourhood_->needs_exchange()) {
      neighbourhood_->tell_alone();
    } else if (is_over) {
      neighbourhood_->exchange({static_cast<int>(agreed[3]), static_cast<int>(agreed[4])});
    } else {
      asking_to_tell_.wait_for(runtime::Account::seconds_to_pay_for(needed, spent), -agreed[5]);
    }
  }
  account.wait(seconds_now() - begin);
  return is_over;
}

select::NeighbourChooser& Communicator::neighbour_chooser() {
  if (neighbour_chooser_ == nullptr) {
    neighbour_chooser_ = std::make_unique<select::NeighbourChooser>(
        group_->machine(), neighbourhood_->graph(), runtime::rules_of(world_.settings, kNativeMpi));
  }
  return *neighbour_chooser_;
}

runtime::CachedPlan Communicator::plan_of(Rank rank, const runtime::PlanKey& key) {
  if (key.which == select::WhichPlan::OverMemory && may_go_over_memory()) {
    if (auto plan = group_->plan_over_memory(rank, key)) return std::move(*plan);
  }
  if (!schedule::is_neighbourhood(key.operation)) return group_->plan(rank, key);
  return runtime::make_neighbour_plan(neighbour_chooser(), group_->machine(), key, rank);
}

}  // namespace espalier::mpi
