#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "mpi/class_plans.hpp"
#include "mpi/owned.hpp"
#include "runtime/kept_ranks.hpp"

namespace espalier::mpi {

/// The machine that the plans of one communicator are made for: the world's; a newer one, if that
/// was replaced; what its far links have become, after an alarm of a watch. All members ask before
/// the same call, and get the same answers.
class PlannedMachine {
 public:
  /// @param plans of the same communicator; must outlive it
  PlannedMachine(const UserComm& user, const World& world, Groups& groups, ClassPlans& plans)
      : user_(user), world_(world), groups_(groups), plans_(plans) {}

  /// Keeps who the members are, in MPI_COMM_WORLD, until take().
  void keep_members(std::vector<Rank> ranks) { members_ = runtime::KeptRanks(std::move(ranks)); }
  /// Whether all members know the world's machine. Called before each call that finds the machine
  /// unknown. Collective before calls 8, 16, 32 ... of these; before all others the answer is no.
  [[nodiscard]] bool all_know_it();
  /// Plans for the world's machine from now on. @pre keep_members(); that machine is known
  void take();
  /// Whether the world's machine was replaced since.
  [[nodiscard]] bool is_outdated() const { return taken_ != world_.known(); }
  /// Plans for it. @pre is_outdated()
  void take_newer();
  /// A hash of machine and plans for a call. @pre take()
  [[nodiscard]] std::uint64_t hash_to_agree(const runtime::SharedCall& call) {
    return taken_->hash ^ plans_.hash_to_agree(call);
  }

  /// Whether the account pays for measuring far links again; whoever names a machine wants it at
  /// any time. Collective over `hidden`.
  [[nodiscard]] bool is_time_to_measure(MPI_Comm hidden) const;
  /// Measures them. If some changed, makes all plans anew and returns true. Collective over
  /// `hidden`, and takes a communicator of its own at the first alarm.
  [[nodiscard]] bool measure_again(MPI_Comm hidden);
  /// What changed on the links since the machine was taken, a sentence each.
  [[nodiscard]] const std::vector<std::string>& changes() const { return changes_; }
  [[nodiscard]] MPI_Comm probes() const { return probes_ ? probes_.get() : MPI_COMM_NULL; }
  /// @param is_abandoned the communicator of its own has messages, or MPI still uses it
  void leave(bool is_abandoned);

 private:
  UserComm user_;
  const World& world_;
  Groups& groups_;
  ClassPlans& plans_;
  runtime::KeptRanks members_;           // empty once the machine is known
  std::uint64_t calls_without_it_ = 0;   // calls that found the machine unknown
  const KnownMachine* taken_ = nullptr;  // the world's
  OwnedComm probes_;
  std::vector<std::string> changes_;
};

}  // namespace espalier::mpi
