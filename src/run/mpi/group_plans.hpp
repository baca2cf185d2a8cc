#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "collective/hierarchy.hpp"
#include "mpi/link_changes.hpp"
#include "mpi/world.hpp"
#include "runtime/class_policy.hpp"
#include "runtime/plan_cache.hpp"
#include "select/chooser.hpp"
#include "topology/machine.hpp"

namespace espalier::mpi {

/// The machine as the members of a communicator see it, and the choices that were made for it.
/// Communicators with the same members in the same order share one. Any thread may ask.
///
/// A choice depends on nothing but what all members share, so it does not matter which
/// communicator asked first, or whether the order was another on another rank.
class GroupPlans {
 public:
  using Counter = std::atomic<std::uint64_t>;
  /// @param members the group's ranks in MPI_COMM_WORLD
  /// @param where a hash of machine and members
  /// @param place see place()
  /// @param far_pairs links to watch; those of the machine as it was first
  /// @param choices counts what candidates() and plan() are asked for
  GroupPlans(std::vector<Rank> members, std::uint64_t where, std::uint64_t place,
             std::shared_ptr<const topology::Machine> machine, std::vector<FarPair> far_pairs,
             runtime::Settings settings, std::shared_ptr<Counter> choices);
  GroupPlans(const GroupPlans&) = delete;
  GroupPlans& operator=(const GroupPlans&) = delete;

  [[nodiscard]] const std::vector<Rank>& members() const { return members_; }
  [[nodiscard]] std::uint64_t where() const { return where_; }
  /// What decisions of trials are kept under: KnownMachine::place and the members.
  [[nodiscard]] std::uint64_t place() const { return place_; }
  [[nodiscard]] const topology::Machine& machine() const { return *machine_; }
  /// Nothing tells the ranks apart.
  [[nodiscard]] bool is_even() const { return is_even_; }
  /// Links to watch; empty: none may change.
  [[nodiscard]] const std::vector<FarPair>& far_pairs() const { return far_pairs_; }

  /// See runtime::candidates_of.
  [[nodiscard]] std::vector<runtime::Candidate> candidates(const runtime::SharedCall& call);
  /// See runtime::make_plan.
  [[nodiscard]] runtime::CachedPlan plan(Rank rank, const runtime::PlanKey& key);

 private:
  select::Chooser& chooser();

  const std::vector<Rank> members_;
  const std::uint64_t where_, place_;
  const std::shared_ptr<const topology::Machine> machine_;
  const runtime::Settings settings_;
  const bool is_even_;
  const std::vector<FarPair> far_pairs_;
  const std::shared_ptr<Counter> choices_;
  std::mutex mutex_;  // guards the members below, which are made when the first plan is due
  std::unique_ptr<const collective::Hierarchy> hierarchy_;
  std::unique_ptr<select::Chooser> chooser_;
};

/// Finds the plans of a group. Keeps those of the last few groups, so that communicators that come
/// and go one by one find them: at most kMostKept, and as many as have kMostKeptBytes of machines.
/// Under SMPI the plans of a group are made once for all ranks, which are one process.
class Groups {
 public:
  /// @pre the world's machine is known
  [[nodiscard]] std::shared_ptr<GroupPlans> find(const World& world,
                                                 const std::vector<Rank>& members);
  /// The same members, whose links have changed; shared with nobody.
  [[nodiscard]] std::shared_ptr<GroupPlans> changed(const World& world, const GroupPlans& before,
                                                    topology::Machine machine);
  /// For tests: how many groups there were, and how often one was asked for a choice or a plan.
  [[nodiscard]] std::uint64_t made() const { return made_.load(); }
  [[nodiscard]] std::uint64_t choices() const { return choices_->load(); }

 private:
  static constexpr std::size_t kMostKept = 16;
  static constexpr std::uint64_t kMostKeptBytes = std::uint64_t{64} << 20U;
  [[nodiscard]] std::shared_ptr<GroupPlans> made_for(const World& world,
                                                     const std::vector<Rank>& members,
                                                     std::uint64_t where, std::uint64_t place);
  std::shared_ptr<GroupPlans> known(std::uint64_t where, const std::vector<Rank>& members);
  void keep(std::shared_ptr<GroupPlans> group);

  GroupPlans::Counter made_{0};
  std::shared_ptr<GroupPlans::Counter> choices_ = std::make_shared<GroupPlans::Counter>(0);
  std::mutex mutex_;
  std::multimap<std::uint64_t, std::weak_ptr<GroupPlans>> groups_;
  std::size_t when_cleared_ = kMostKept;
  std::vector<std::shared_ptr<GroupPlans>> kept_;  // the most recently used comes last
};

/// About how much memory a machine takes.
[[nodiscard]] std::uint64_t bytes_of(const topology::Machine& machine);

/// A store of decisions on a machine for all ranks of a process: under SMPI they are one process,
/// and a choice is made once for all of them. Defined there only.
[[nodiscard]] select::SharedDecisions shared_decisions(const topology::Machine& machine);

}  // namespace espalier::mpi
