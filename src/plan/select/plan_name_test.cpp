#include <gtest/gtest.h>

#include "select/ranking.hpp"
#include "select/segments.hpp"
#include "support/for_all_seeds.hpp"
#include "topology/random_machine.hpp"
#include "topology/readers.hpp"

namespace espalier::select {
namespace {

using collective::Hierarchy;
using schedule::Collective;
using schedule::Operation;

Collective some_named_call(Random& rng, Rank size) {
  const std::uint64_t elements[] = {1, 8, 24};
  return {static_cast<Operation>(rng.below(schedule::kOperationCount)),
          size,
          static_cast<Rank>(rng.below(size)),
          rng.below(std::uint64_t{1} << rng.below(22)),
          Bytes{elements[rng.below(3)]},
          rng.chance(70),
          {}};
}

TEST(PlanNameProperty, EveryPlanIsFoundByItsName) {
  for_all_seeds(60, [](Random& rng) {
    const topology::Machine machine = topology::random_machine(rng.next(), {2, 40, 5, true});
    const Hierarchy hierarchy(machine);
    const Collective call = some_named_call(rng, machine.size());
    const Bits bits = rng.chance(20) ? Bits::Reference : Bits::Any;
    for (const Choice& choice : ranking(hierarchy, CostView(machine), call, bits)) {
      const std::string name = name_of(choice.plan, call);
      const auto found = plan_named(name, hierarchy, call);
      ASSERT_TRUE(found) << name;
      ASSERT_EQ(name_of(*found, call), name);
      ASSERT_TRUE(*found == choice.plan) << name << " on " << schedule::name_of(call.operation);
    }
  });
}

TEST(PlanNameProperty, LevelsThatDifferAreToldApart) {
  for_all_seeds(200, [](Random& rng) {
    const topology::Machine machine = *topology::parse_synthetic("a:2 b:2 c:2 d:2 e:2");
    const Hierarchy hierarchy(machine);
    const Collective call{Operation::Broadcast, machine.size(), 0, 1U << 20U, Bytes{1}, true, {}};
    collective::MultilevelChoice choice;
    for (int l = 0; l < 5; ++l) {
      const std::uint64_t segments[] = {0, 4096, 16384};
      choice.levels.push_back({static_cast<collective::Shape>(rng.below(collective::kShapeCount)),
                               segments[rng.below(3)]});
    }
    const Plan plan{collective::find_algorithm(call.operation, "multilevel"), choice};
    const auto found = plan_named(name_of(plan, call), hierarchy, call);
    ASSERT_TRUE(found) << name_of(plan, call);
    ASSERT_TRUE(*found == plan) << name_of(plan, call);
  });
}

TEST(PlanName, ASegmentThatIsNoShorterThanTheMessageIsNone) {
  const topology::Machine machine = *topology::parse_synthetic("site:2(1ms) proc:4(1us)");
  const Hierarchy hierarchy(machine);
  const Collective call{Operation::Broadcast, 8, 0, 1000, Bytes{1}, true, {}};
  EXPECT_EQ(name_of(*plan_named("binomial 16 KiB", hierarchy, call), call), "binomial");
  EXPECT_EQ(name_of(*plan_named("binomial 512 B", hierarchy, call), call), "binomial 512 B");
}

TEST(PlanName, WhatNamesNoPlanIsRefused) {
  const topology::Machine machine = *topology::parse_synthetic("site:2(1ms) proc:4(1us)");
  const Hierarchy hierarchy(machine);
  const auto is_plan = [&](Operation operation, const char* name) {
    const Collective call{operation, 8, 0, 1U << 20U, Bytes{1}, true, {}};
    return plan_named(name, hierarchy, call).has_value();
  };
  EXPECT_TRUE(is_plan(Operation::Broadcast, "multilevel flat whole/chain 4 KiB"));
  EXPECT_TRUE(is_plan(Operation::Alltoall, "multilevel 4 leaders 4 stripes"));
  for (const char* name : {"",
                           " ",
                           "multilevel",
                           "multilevel ",
                           "multilevel flat/",
                           "multilevel flat/flat/flat",
                           "multilevel exchange/flat",
                           "multilevel flat 4 KiB/chain",
                           "multilevel flat/chain 0 B",
                           "multilevel flat/chain 4 KiB/",
                           "binomial 4 apples",
                           "striped ",
                           "striped flat",
                           "striped flat/ring -1 parts",
                           "two-level at depth 0 flat/flat",
                           "two-level at depth 9 flat/flat",
                           "ring",
                           "fnfx",
                           "binomial along the machine",
                           "fixed order exchange/flat",
                           "4-nomia"}) {
    EXPECT_FALSE(is_plan(Operation::Broadcast, name)) << name;
  }
  for (const char* name : {"multilevel 0 leaders", "multilevel 1 leaders", "multilevel 99 leaders",
                           "multilevel 4 leaders 3 stripes", "multilevel 4 leaders 4"}) {
    EXPECT_FALSE(is_plan(Operation::Alltoall, name)) << name;
  }
}

}  // namespace
}  // namespace espalier::select
