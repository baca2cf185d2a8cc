#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "collective/hierarchy.hpp"
#include "mpi/link_changes.hpp"
#include "mpi/world.hpp"
#include "runtime/class_policy.hpp"
#include "runtime/plan_cache.hpp"
#include "select/chooser.hpp"
#include "select/over_memory.hpp"
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
  /// For tests.
  struct Counters {
    Counter choices{0};  ///< how often candidates() and plan() were asked
    Counter nodes{0};    ///< how many groups were asked for their nodes
  };
  /// @param members the group's ranks in MPI_COMM_WORLD
  /// @param where a hash of machine and members
  /// @param place see place()
  /// @param far_pairs links to watch; those of the machine as it was first
  GroupPlans(std::vector<Rank> members, std::uint64_t where, std::uint64_t place,
             std::shared_ptr<const topology::Machine> machine, std::vector<FarPair> far_pairs,
             runtime::Settings settings, std::shared_ptr<Counters> counters);
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

  /// Which members share a node. The first who asks waits until every member was looked at.
  [[nodiscard]] const select::Nodes& nodes();

  /// See runtime::candidates_of.
  [[nodiscard]] std::vector<runtime::Candidate> candidates(const runtime::SharedCall& call);
  /// See runtime::make_plan.
  [[nodiscard]] runtime::CachedPlan plan(Rank rank, const runtime::PlanKey& key);
  /// The call over the memory of several nodes; absent: there is no such way.
  /// @pre nodes().are_several()
  [[nodiscard]] std::optional<runtime::Candidate> candidate_over_memory(
      const runtime::SharedCall& call);
  /// See runtime::make_plan_over_memory. @pre as above
  [[nodiscard]] std::optional<runtime::CachedPlan> plan_over_memory(Rank rank,
                                                                    const runtime::PlanKey& key);

 private:
  /// The machine as the leaders of nodes see it, and the choices that were made for it.
  struct Leaders {
    std::unique_ptr<const topology::Machine> machine;
    std::unique_ptr<const collective::Hierarchy> hierarchy;
    std::unique_ptr<select::Chooser> chooser;
  };
  /// Leaders of different roots that are remembered.
  static constexpr std::size_t kMostLeaders = 16;
  // Those who hold mutex_ call these.
  const select::Nodes& known_nodes();
  select::Chooser& chooser();
  select::Chooser& chooser_of_leaders(Rank root);

  const std::vector<Rank> members_;
  const std::uint64_t where_, place_;
  const std::shared_ptr<const topology::Machine> machine_;
  const runtime::Settings settings_;
  const bool is_even_;
  const std::vector<FarPair> far_pairs_;
  const std::shared_ptr<Counters> counters_;
  std::mutex mutex_;  // guards the members below, which are made when somebody asks for them
  std::optional<const select::Nodes> nodes_;
  std::unique_ptr<const collective::Hierarchy> hierarchy_;
  std::unique_ptr<select::Chooser> chooser_;
  std::map<std::vector<Rank>, Leaders> leaders_;
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
  /// For tests: how many groups there were, and what they were asked for.
  [[nodiscard]] std::uint64_t made() const { return made_.load(); }
  [[nodiscard]] const GroupPlans::Counters& counters() const { return *counters_; }

 private:
  static constexpr std::size_t kMostKept = 16;
  static constexpr std::uint64_t kMostKeptBytes = std::uint64_t{64} << 20U;
  [[nodiscard]] std::shared_ptr<GroupPlans> made_for(const World& world,
                                                     const std::vector<Rank>& members,
                                                     std::uint64_t where, std::uint64_t place);
  std::shared_ptr<GroupPlans> known(std::uint64_t where, const std::vector<Rank>& members);
  void keep(std::shared_ptr<GroupPlans> group);

  GroupPlans::Counter made_{0};
  std::shared_ptr<GroupPlans::Counters> counters_ = std::make_shared<GroupPlans::Counters>();
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
