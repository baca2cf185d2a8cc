#include "mpi/watched_links.hpp"

#include <array>
#include <span>
#include <utility>

#include "mpi/hidden_comm.hpp"
#include "mpi/link_changes.hpp"
#include "mpi/own_work.hpp"
#include "topology/views.hpp"

namespace espalier::mpi {
namespace {

/// What measuring far links again is predicted to take: round trips and some hundred kilobytes for
/// each pair.
double seconds_to_measure(const topology::Machine& machine, std::span<const FarPair> pairs) {
  constexpr double kCrossings = 12;
  Time all;
  for (const FarPair& pair : pairs) all += machine.path(pair.from, pair.to).latency;
  return kCrossings * to_microseconds(all) * 1e-6;
}

}  // namespace

bool WatchedLinks::is_time_to_measure(const GroupPlans& group, MPI_Comm hidden) const {
  if (!world_.learns_late || world_.is_threaded) return true;
  const runtime::Account& account = world_.account;
  std::array<double, 3> largest{-world_.counted_seconds(), account.own_with_regret(),
                                -account.waited()};
  const int code = waiting(world_, [&] {
    return PMPI_Allreduce(MPI_IN_PLACE, largest.data(), 3, MPI_DOUBLE, MPI_MAX, hidden);
  });
  return code == MPI_SUCCESS &&
         runtime::Account::pays_for(seconds_to_measure(group.machine(), group.far_pairs()),
                                    -largest[0], largest[1] - largest[2]);
}

std::optional<topology::Machine> WatchedLinks::measure(const GroupPlans& group, MPI_Comm hidden) {
  const double begin = seconds_now();
  if (!probes_) {
    int rank = 0;
    PMPI_Comm_rank(hidden, &rank);
    probes_ = hidden_copy(hidden, rank);
    if (!probes_) return std::nullopt;
  }
  LinkChanges found = changes_of_links(group.machine(), group.far_pairs(), probes_.get());
  if (!world_.is_threaded) world_.account.spend(seconds_now() - begin);
  if (found.scales.empty()) return std::nullopt;
  topology::Machine machine = group.machine();
  for (const topology::LevelScale& scale : found.scales) {
    machine = topology::scale_level(std::move(machine), scale);
  }
  newest_ = found.words.size();
  for (std::string& words : found.words) changes_.push_back(std::move(words));
  return machine;
}

void WatchedLinks::leave(bool is_abandoned) {
  if (is_abandoned) probes_.abandon();
  probes_ = OwnedComm();
}

}  // namespace espalier::mpi
