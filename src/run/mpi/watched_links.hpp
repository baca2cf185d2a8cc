#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mpi/group_plans.hpp"
#include "mpi/owned.hpp"
#include "mpi/world.hpp"
#include "topology/machine.hpp"

namespace espalier::mpi {

/// Answers alarms of a communicator's watches: far links are measured again, and what changed is
/// told. All members ask before the same call, and get the same answers.
class WatchedLinks {
 public:
  explicit WatchedLinks(const World& world) : world_(world) {}

  /// Whether the account pays for measuring; whoever names a machine wants it at any time.
  /// Collective over `hidden`.
  [[nodiscard]] bool is_time_to_measure(const GroupPlans& group, MPI_Comm hidden) const;
  /// The group's machine as it is now; absent: no link changed. Collective over `hidden`, and takes
  /// a communicator of its own at the first alarm.
  [[nodiscard]] std::optional<topology::Machine> measure(const GroupPlans& group, MPI_Comm hidden);
  /// What changed, a sentence each.
  [[nodiscard]] const std::vector<std::string>& changes() const { return changes_; }
  /// Those that the last measure() found.
  [[nodiscard]] std::span<const std::string> newest_changes() const {
    return std::span(changes_).last(newest_);
  }
  /// The machine was measured by others.
  void forget_changes() {
    changes_.clear();
    newest_ = 0;
  }

  [[nodiscard]] MPI_Comm probes() const { return probes_ ? probes_.get() : MPI_COMM_NULL; }
  /// @param is_abandoned it has messages, or MPI still uses it
  void leave(bool is_abandoned);

 private:
  const World& world_;
  OwnedComm probes_;
  std::vector<std::string> changes_;
  std::size_t newest_ = 0;
};

}  // namespace espalier::mpi
