// Where a latency inside clusters exceeds the one between them, the way over another cluster is the
// shorter one: plans with relays, of calls without a root too.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/units.hpp"
#include "bound/lower_bound.hpp"
#include "select/chooser.hpp"
#include "sim/simulate.hpp"
#include "support/check_schedule.hpp"
#include "support/for_all_seeds.hpp"
#include "support/multilevel_cases.hpp"
#include "topology/readers.hpp"

namespace espalier::select {
namespace {

using collective::Hierarchy;
using collective::LevelChoice;
using collective::Shape;
using schedule::Collective;
using schedule::Operation;

constexpr Operation kRootless[]{Operation::Allreduce, Operation::Barrier, Operation::Allgather,
                                Operation::ReduceScatter, Operation::Alltoall};

bool is_along_links(const Plan& plan) { return plan.algorithm->name == "ecef-la"; }

class BothWaysOfEach : public testing::TestWithParam<Operation> {};

INSTANTIATE_TEST_SUITE_P(Operation, BothWaysOfEach, testing::ValuesIn(kRootless),
                         [](const auto& test) {
                           std::string name(schedule::name_of(test.param));
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST_P(BothWaysOfEach, IsVerifiedAndRunOnRandomMachines) {
  for_all_seeds(150, [&](Random& rng) {
    const topology::Machine machine = testing_support::some_machine(rng, 20);
    const Hierarchy hierarchy(machine);
    Collective call = testing_support::some_call(rng, GetParam(), machine.size());
    call.commutative = true;
    call.counts.clear();
    const bool combines =
        call.operation == Operation::Allreduce || call.operation == Operation::ReduceScatter;
    const std::uint64_t segment = combines && rng.chance(50) ? 1 + rng.below(20) : 0;
    const Plan plan{collective::find_algorithm(call.operation, "ecef-la"),
                    LevelChoice{Shape::Flat, segment}};
    ASSERT_TRUE(can_do(plan, hierarchy, call));
    const schedule::Schedule made = schedule_of(candidate_of(plan, hierarchy, call), call);
    ASSERT_EQ(testing_support::complaint_of(made), "");
    ASSERT_EQ(testing_support::check_schedule(made, rng.next()), "");
  });
}

TEST(BothWays, RefusesBlocksOfDifferentLengthsAndOrders) {
  const topology::Machine machine = *topology::parse_synthetic("l0:2(1us) l1:4(30ms)");
  const Hierarchy hierarchy(machine);
  Collective call{Operation::Allgather, 8, 0, 16, Bytes{1}, true, {}};
  EXPECT_TRUE(plan_named("ecef-la", hierarchy, call));
  call.counts.assign(8, 3);
  EXPECT_FALSE(plan_named("ecef-la", hierarchy, call));
  Collective sum{Operation::Allreduce, 8, 0, 16, Bytes{8}, false, {}};
  EXPECT_FALSE(plan_named("ecef-la", hierarchy, sum));
}

TEST(BothWays, IsProposedWhereTheWayOverAnotherClusterIsShorterOnly) {
  const auto proposed = [](const char* text, Operation operation) {
    const topology::Machine machine = *topology::parse_synthetic(text);
    const Hierarchy hierarchy(machine);
    const Collective call{operation, machine.size(), 0, 100'000, Bytes{1}, true, {}};
    const std::vector<Plan> plans = proposed_plans(hierarchy, call);
    for (const Plan& plan : plans) {
      if (!is_along_links(plan)) continue;
      EXPECT_TRUE(plan_named(name_of(plan, call), hierarchy, call) == plan) << name_of(plan, call);
    }
    return std::any_of(plans.begin(), plans.end(), is_along_links);
  };
  for (const Operation operation : kRootless) {
    EXPECT_TRUE(proposed("l0:2(1us) l1:4(30ms)", operation)) << schedule::name_of(operation);
    EXPECT_FALSE(proposed("l0:2(30ms) l1:4(1us)", operation)) << schedule::name_of(operation);
    // Trees by all pairs of so many ranks take too long to find.
    EXPECT_FALSE(proposed("l0:2(1us) l1:33(30ms)", operation)) << schedule::name_of(operation);
  }
}

TEST(BothWays, HoldsNoMoreThanABundleMay) {
  const topology::Machine machine = *topology::parse_synthetic("l0:2(1us) l1:4(30ms)");
  const Hierarchy hierarchy(machine);
  const auto is_proposed = [&](std::uint64_t block) {
    const std::vector<Plan> plans =
        proposed_plans(hierarchy, {Operation::Alltoall, 8, 0, block, Bytes{1}, true, {}});
    return std::any_of(plans.begin(), plans.end(), is_along_links);
  };
  EXPECT_TRUE(is_proposed(1U << 20U));  // 64 blocks at the root: 64 MiB
  EXPECT_FALSE(is_proposed((1U << 20U) + 1));
}

/// Up to the rank in the middle and down again is at most twice the longest way over relays.
TEST(Relays, CallsWithoutARootTakeTwiceTheLongestWayAtMost) {
  constexpr struct {
    const char* machine;
    double at_most;  // times the bound
  } kCases[] = {
      {"l0:2(1us) l1:4(30ms)", 2},
      {"l0:3(2us) l1:5(10ms) placement=cyclic", 2},
      {"l0:2(5us) l1:2(1us) l2:3(20ms)", 2},
      // Over the rank that is alone: no further than the longest way.
      {"l0:2(1us) l1:7|1(30ms)", 1},
  };
  for (const auto& one : kCases) {
    const topology::Machine machine = *topology::parse_synthetic(one.machine);
    const Hierarchy hierarchy(machine);
    Chooser chooser(hierarchy);
    for (const Operation operation : kRootless) {
      const std::uint64_t count = operation == Operation::Barrier ? 0 : 64;
      const Collective call{operation, machine.size(), 0, count, Bytes{1}, true, {}};
      const PlanChoice choice = chooser.choose(call, WhichPlan::Best);
      const Candidate candidate = candidate_of(*choice.plan, hierarchy, call);
      EXPECT_TRUE(verify::verify(schedule_of(candidate, call)).ok()) << choice.name;
      const Time takes = sim::simulate(call, candidate.program_of, machine).finish;
      const bound::LowerBound least = bound::lower_bound(machine, call);
      EXPECT_GE(takes, least.value) << choice.name;
      EXPECT_LE(to_microseconds(takes), 1.001 * one.at_most * to_microseconds(least.value))
          << schedule::name_of(operation) << " on " << one.machine << " by " << choice.name;
    }
  }
}

/// What is estimated, not simulated: never below the bound.
TEST(Relays, AreEstimatedNoFasterThanAnyPlanCanBe) {
  for (const char* text :
       {"l0:2(1us,1Gbit/s) l1:4(2ms,1Gbit/s,send=5us,recv=5us)",
        "l0:3(20us,100Mbit/s,backbone=100Mbit/s) l1:3(5ms,1Gbit/s,duplex=half) placement=cyclic",
        "l0:2(10us,1Gbit/s) l1:30(1ms,10Gbit/s,send=1us,recv=1us,reduce=8Gbit/s)"}) {
    const topology::Machine machine = *topology::parse_synthetic(text);
    const Hierarchy hierarchy(machine);
    const CostView cost_view(machine);
    for (const Operation operation : kRootless) {
      for (const std::uint64_t bytes : {64U, 100'000U}) {
        const std::uint64_t count = operation == Operation::Barrier ? 0 : bytes;
        const Collective call{operation, machine.size(), 0, count, Bytes{1}, true, {}};
        const Time least = bound::lower_bound(machine, call).value;
        for (const Plan& plan : proposed_plans(hierarchy, call)) {
          if (!is_along_links(plan)) continue;
          const Time predicted = predict(plan, cost_view, hierarchy, call);
          EXPECT_GE(predicted + Time{1000}, least)
              << text << ": " << schedule::name_of(operation) << " " << name_of(plan, call);
        }
      }
    }
  }
}

}  // namespace
}  // namespace espalier::select
