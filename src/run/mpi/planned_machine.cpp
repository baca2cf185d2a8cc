#include "mpi/planned_machine.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <span>

#include "base/file_descriptor.hpp"
#include "mpi/link_changes.hpp"
#include "mpi/own_work.hpp"
#include "topology/views.hpp"

namespace espalier::mpi {
namespace {

/// Calls on a communicator before its ranks ask each other whether all know the machine.
constexpr std::uint64_t kCallsBeforeAsking = 8;

/// What measuring far links again is predicted to take: round trips and some hundred kilobytes for
/// each pair.
double seconds_to_measure(const topology::Machine& machine, std::span<const FarPair> pairs) {
  constexpr double kCrossings = 12;
  Time all;
  for (const FarPair& pair : pairs) all += machine.path(pair.from, pair.to).latency;
  return kCrossings * to_microseconds(all) * 1e-6;
}

}  // namespace

bool PlannedMachine::all_know_it() {
  // Most communicators are gone before that many calls, and would gain nothing.
  const std::uint64_t first = world_.settings.force ? 1 : kCallsBeforeAsking;
  if (++calls_without_it_ < first || !std::has_single_bit(calls_without_it_)) return false;
  int known = world_.known() != nullptr ? 1 : 0;
  const int code = PMPI_Allreduce(MPI_IN_PLACE, &known, 1, MPI_INT, MPI_MIN, user_.handle);
  return code == MPI_SUCCESS && known == 1;
}

void PlannedMachine::take() {
  taken_ = world_.known();
  plans_.begin(groups_.find(world_, members_.spelled_out()), false);
  members_ = {};
}

void PlannedMachine::take_newer() {
  taken_ = world_.known();
  changes_.clear();  // the newer machine was measured by others
  plans_.begin(groups_.find(world_, plans_.group()->members()), false);
}

bool PlannedMachine::is_time_to_measure(MPI_Comm hidden) const {
  if (!world_.learns_late || world_.is_threaded) return true;
  const runtime::Account& account = world_.account;
  std::array<double, 3> largest{-world_.counted_seconds(), account.own_with_regret(),
                                -account.waited()};
  const int code = waiting(world_, [&] {
    return PMPI_Allreduce(MPI_IN_PLACE, largest.data(), 3, MPI_DOUBLE, MPI_MAX, hidden);
  });
  const GroupPlans& group = *plans_.group();
  return code == MPI_SUCCESS &&
         runtime::Account::pays_for(seconds_to_measure(group.machine(), group.far_pairs()),
                                    -largest[0], largest[1] - largest[2]);
}

bool PlannedMachine::measure_again(MPI_Comm hidden) {
  const double begin = seconds_now();
  if (!probes_) {
    probes_ = hidden_copy(hidden, user_.rank);
    if (!probes_) return false;
  }
  const GroupPlans& group = *plans_.group();
  const LinkChanges found = changes_of_links(group.machine(), group.far_pairs(), probes_.get());
  if (!world_.is_threaded) world_.account.spend(seconds_now() - begin);
  if (found.scales.empty()) return false;
  topology::Machine machine = group.machine();
  for (const topology::LevelScale& scale : found.scales) {
    machine = topology::scale_level(std::move(machine), scale);
  }
  changes_.insert(changes_.end(), found.words.begin(), found.words.end());
  plans_.keep_trials();
  plans_.begin(groups_.changed(world_, group, std::move(machine)), true);
  if (world_.settings.log > 0 && world_.rank == 0) {
    for (const std::string& words : found.words) {
      write_message(fmt::format("espalier: {}: {}; plans are made anew\n", user_.name(), words));
    }
  }
  return true;
}

void PlannedMachine::leave(bool is_abandoned) {
  if (is_abandoned) probes_.abandon();
  probes_ = OwnedComm();
}

}  // namespace espalier::mpi
