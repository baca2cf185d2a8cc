#include "runtime/count_planner.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/named_algorithms.hpp"
#include "runtime/role_header.hpp"
#include "support/check_schedule.hpp"
#include "support/for_all_seeds.hpp"
#include "topology/random_machine.hpp"
#include "topology/readers.hpp"

namespace espalier::runtime {
namespace {

using schedule::Collective;
using schedule::Operation;
using topology::Machine;

Settings named(Operation operation, const std::string& name) {
  Settings settings;
  settings.algorithm[operation] = name;
  return settings;
}

/// Everybody with bytes stands in it once, the root first, with the right length.
void expect_whole(const RolePlan& plan, Rank root, const std::vector<std::uint64_t>& bytes) {
  std::vector<int> seen(bytes.size(), 0);
  ASSERT_FALSE(plan.roles.empty());
  EXPECT_EQ(plan.roles.front().rank, root);
  EXPECT_EQ(plan.roles.front().tree, plan.roles.size());
  for (const RoleEntry& role : plan.roles) {
    ++seen[role.rank];
    EXPECT_EQ(role.bytes, bytes[role.rank]);
  }
  for (Rank r = 0; r < bytes.size(); ++r) {
    EXPECT_EQ(seen[r], r == root || bytes[r] > 0 ? 1 : 0) << r;
  }
}

TEST(CountPlannerProperty, GivesEverybodyWithDataARole) {
  for_all_seeds(60, [](Random& rng) {
    const Machine machine = topology::random_machine(rng.next(), {.max_processes = 20});
    static constexpr const char* kNames[]{"", "counts:random", "counts:minimum-first",
                                          "counts:linear"};
    const std::string name = kNames[rng.below(4)];
    Settings settings;
    if (!name.empty()) settings = named(Operation::Scatter, name);
    CountPlanner planner(machine, settings);
    for (int call = 0; call < 10; ++call) {
      const auto root = static_cast<Rank>(rng.below(machine.size()));
      std::vector<std::uint64_t> bytes(machine.size());
      for (std::uint64_t& b : bytes) b = rng.chance(40) ? 0 : rng.below(100'000);
      expect_whole(planner.scatter(root, bytes), root, bytes);
      expect_whole(planner.scatter(root, bytes), root, bytes);
    }
  });
}

TEST(CountPlanner, PlansWhatTakesLongAtOnceAndWhatIsQuickWhenItHasComeOftenEnough) {
  const Machine far = *topology::parse_synthetic("site:2(100ms,100Mbit/s) proc:4(1us)");
  CountPlanner at_once(far);
  (void)at_once.scatter(0, {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(at_once.planned(), 1U);
  (void)at_once.scatter(0, {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(at_once.planned(), 1U);

  const Machine near = *topology::parse_synthetic("node:2(10us,1Gbit/s) proc:4(1us)");
  CountPlanner later(near);
  const std::vector<std::uint64_t> bytes{1, 2, 3, 4, 5, 6, 7, 8};
  for (int call = 0; call < 100; ++call) (void)later.scatter(0, bytes);
  EXPECT_EQ(later.planned(), 0U);
  for (int call = 0; call < 100; ++call) (void)later.scatter(0, bytes);
  EXPECT_EQ(later.planned(), 1U);
}

// espalier plan says what runs: it must say what the planner does.
TEST(CountPlannerProperty, DoesWhatIsToldOfItBeforehand) {
  for_all_seeds(60, [](Random& rng) {
    const Machine machine = topology::random_machine(rng.next(), {.max_processes = 20});
    const auto root = static_cast<Rank>(rng.below(machine.size()));
    std::vector<std::uint64_t> bytes(machine.size());
    for (std::uint64_t& b : bytes) b = rng.chance(30) ? 0 : rng.below(100'000);
    const Collective scatter{Operation::Scatter, machine.size(), root, 0, Bytes{1}, true, bytes};
    const select::CountedRuns told = select::counted_runs(machine, scatter);
    CountPlanner planner(machine);
    constexpr std::uint64_t kMostCalls = 50;
    for (std::uint64_t call = 1; call <= std::min(told.first_calls + 2, kMostCalls); ++call) {
      const select::IrregularPlan& plan = call <= told.first_calls ? *told.first : told.plan;
      const RolePlan& made = planner.scatter(root, bytes);
      EXPECT_EQ(made.name, select::name_by_counts(plan.algorithm)) << call;
      EXPECT_EQ(made.roles, roles_of(plan.tree, bytes)) << call;
    }
    const Collective gather{Operation::Gather, machine.size(), root, 0, Bytes{1}, true, bytes};
    const select::CountedRuns gathers = select::counted_runs(machine, gather);
    EXPECT_TRUE(tells_tree(gathers.first_calls, false));
    const auto made = planner.better_gather(root, bytes, true);
    ASSERT_TRUE(made.has_value());
    EXPECT_EQ(made->name, select::name_by_counts(gathers.plan.algorithm));
    EXPECT_EQ(made->roles, roles_of(gathers.plan.tree, select::with_everybody(gather).counts));
    EXPECT_EQ(made->predicted, gathers.predicted);
  });
}

TEST(CountPlanner, KeepsWithinTheMemoryThatRanksMayHoldForOthers) {
  const Machine machine = *topology::parse_synthetic("site:2(100ms,100Mbit/s) proc:4(1us)");
  Settings settings;
  settings.bundle_limit = Bytes{1000};
  CountPlanner planner(machine, settings);
  for (const RoleEntry& role : planner.scatter(0, std::vector<std::uint64_t>(8, 900)).roles) {
    EXPECT_LE(role.tree, role.rank == 0 ? 8U : 2U);
  }
}

TEST(CountPlanner, TellsAnotherGatherOnlyIfItGains) {
  // Short blocks want few messages at the root, long ones a flow of their own each.
  const Machine machine = *topology::parse_synthetic(
      "site:2(10ms,1Gbit/s,cap=52Mbit/s) proc:32(50us,1Gbit/s,send=100us,recv=300us)");
  CountPlanner planner(machine);
  const std::vector<std::uint64_t> small(64, 100), large(64, 1'000'000);
  EXPECT_TRUE(planner.better_gather(0, small, true).has_value());
  EXPECT_FALSE(planner.better_gather(0, small, false).has_value());
  EXPECT_TRUE(planner.better_gather(0, large, false).has_value());
  EXPECT_FALSE(planner.better_gather(0, large, false).has_value());
  EXPECT_TRUE(planner.better_gather(3, small, true).has_value());
}

// A gather up a told tree is a plan like others: every rank's part, run by the reference executor.
TEST(GatherProgramProperty, GathersUpAnyTree) {
  for_all_seeds(200, [](Random& rng) {
    const auto size = static_cast<Rank>(1 + rng.below(20));
    const auto root = static_cast<Rank>(rng.below(size));
    const Collective call{
        Operation::Gather, size, root, 0, Bytes{1}, true, std::vector<std::uint64_t>(size, 1)};
    const tree::CommTree tree = select::random_tree(call, rng.next());
    const std::vector<RoleEntry> roles = roles_of(tree, call.counts);
    schedule::Schedule schedule{call, "told", std::vector<schedule::Program>(size)};
    for (std::size_t at = 0; at < roles.size(); ++at) {
      const Rank rank = roles[at].rank;
      const Rank parent = rank == root ? kNoRank : tree.parent(rank);
      schedule.programs[rank] = gather_program(Roles(roles).subspan(at, roles[at].tree), parent);
    }
    EXPECT_EQ(testing_support::check_schedule(schedule, rng.next()), "");
  });
}

TEST(TreesByCounts, AreTakenUnlessARegularAlgorithmIsNamed) {
  EXPECT_TRUE(is_by_counts({}, Operation::Scatter));
  EXPECT_TRUE(is_by_counts({}, Operation::Gather));
  EXPECT_FALSE(is_by_counts({}, Operation::Allgather));
  EXPECT_FALSE(is_by_counts(named(Operation::Scatter, "binomial"), Operation::Scatter));
  EXPECT_TRUE(is_by_counts(named(Operation::Scatter, "counts:traeff"), Operation::Scatter));
  EXPECT_FALSE(check_algorithm(Operation::Scatter, "counts:traeff"));
  EXPECT_FALSE(check_algorithm(Operation::Gather, "counts:random"));
  EXPECT_TRUE(check_algorithm(Operation::Scatter, "counts:sorcery"));
  EXPECT_TRUE(check_algorithm(Operation::Scatter, "counts:ordered-optimum"));
  EXPECT_TRUE(check_algorithm(Operation::Broadcast, "counts:traeff"));
}

TEST(TellsTree, RarelyAndMoreRarely) {
  std::vector<std::uint64_t> when;
  for (std::uint64_t call = 1; call <= 1000; ++call) {
    if (tells_tree(call, false)) when.push_back(call);
  }
  EXPECT_EQ(when, (std::vector<std::uint64_t>{4, 16, 64, 256}));
  EXPECT_TRUE(tells_tree(1, true));
  EXPECT_FALSE(tells_tree(2, true));
}

}  // namespace
}  // namespace espalier::runtime
