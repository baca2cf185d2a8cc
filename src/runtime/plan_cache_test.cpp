#include "runtime/plan_cache.hpp"

#include <gtest/gtest.h>

#include "support/for_all_seeds.hpp"
#include "topology/random_machine.hpp"
#include "topology/synthetic.hpp"

namespace espalier::runtime {
namespace {

using schedule::Operation;

CachedPlan plan_of(std::size_t messages) {
  CachedPlan plan;
  plan.planned = true;
  plan.prepared.messages.resize(messages);
  return plan;
}

TEST(PlanCache, ForgetsWhatWasNotUsedForLongest) {
  PlanCache cache(/*max_messages=*/100, /*max_plans=*/2);
  const PlanKey a{Operation::Broadcast, 0, 1, 1, true, false};
  const PlanKey b{Operation::Broadcast, 1, 1, 1, true, false};
  const PlanKey c{Operation::Broadcast, 2, 1, 1, true, false};
  cache.insert(a, plan_of(1));
  cache.insert(b, plan_of(1));
  EXPECT_NE(cache.find(a), nullptr);
  cache.insert(c, plan_of(1));
  EXPECT_EQ(cache.size(), 2u);
  EXPECT_EQ(cache.find(b), nullptr);
  EXPECT_NE(cache.find(a), nullptr);
  EXPECT_NE(cache.find(c), nullptr);
}

TEST(PlanCache, IsBoundedByMessagesButKeepsTheNewestWhateverItsSize) {
  PlanCache cache(/*max_messages=*/100, /*max_plans=*/50);
  for (std::uint64_t count = 0; count < 20; ++count) {
    const PlanKey key{Operation::Reduce, 0, count, 8, true, false};
    EXPECT_NE(cache.insert(key, plan_of(30)), nullptr);
    EXPECT_LE(cache.size(), 3u);
  }
  const PlanKey huge{Operation::Reduce, 0, 99, 8, true, false};
  EXPECT_EQ(cache.insert(huge, plan_of(1000))->prepared.messages.size(), 1000u);
  EXPECT_EQ(cache.size(), 1u);
}

TEST(MakePlan, OneLevelIsNativeUnlessForced) {
  const topology::Machine machine = *topology::parse_synthetic("proc:4(1us)");
  const collective::Hierarchy hierarchy(machine);
  Planner planner(hierarchy);
  const PlanKey key{Operation::Broadcast, 0, 8, 1, true, false};
  Settings settings;
  EXPECT_FALSE(make_plan(planner, settings, 0, key).planned);
  settings.force = true;
  EXPECT_TRUE(make_plan(planner, settings, 0, key).planned);
}

TEST(MakePlan, ANamedAlgorithmIsTakenWhereItCanDoTheCall) {
  const topology::Machine machine = *topology::parse_synthetic("site:2(1ms) proc:2(1us)");
  const collective::Hierarchy hierarchy(machine);
  Planner planner(hierarchy);
  Settings settings;
  settings.algorithm[Operation::Allreduce] = "ring";
  EXPECT_EQ(make_plan(planner, settings, 0, {Operation::Allreduce, 0, 9, 8, true, false}).name,
            "ring");
  EXPECT_NE(make_plan(planner, settings, 0, {Operation::Allreduce, 0, 9, 8, false, false}).name,
            "ring");
  EXPECT_FALSE(check_algorithms(settings));
  settings.algorithm[Operation::Allreduce] = "sorcery";
  EXPECT_TRUE(check_algorithms(settings));
}

TEST(MakePlan, UnequalSendersAreWorthATreeEvenOnOneLevel) {
  const topology::Machine machine =
      *topology::parse_synthetic("node:8(1us,send=1ms|3ms*4|1ms|3ms*2)");
  const collective::Hierarchy hierarchy(machine);
  Planner planner(hierarchy);
  const PlanKey key{Operation::Broadcast, 0, 8, 1, true, false};
  EXPECT_TRUE(make_plan(planner, {}, 0, key).planned);
  Settings settings;
  for (const char* name : {"fnf", "spoc"}) {
    settings.algorithm[Operation::Broadcast] = name;
    EXPECT_FALSE(check_algorithms(settings));
    EXPECT_EQ(make_plan(planner, settings, 0, key).name, name);
  }
}

TEST(MakePlan, TwoLevelBaselinesCanBeNamed) {
  const topology::Machine machine =
      *topology::parse_synthetic("site:2(9ms) machine:1|2(1ms) proc:2(1us)");
  const collective::Hierarchy hierarchy(machine);
  Planner planner(hierarchy);
  Settings settings;
  for (const char* name :
       {"two-level at depth 1 flat/binomial", "two-level at depth 2 flat/binomial"}) {
    settings.algorithm[Operation::Broadcast] = name;
    EXPECT_FALSE(check_algorithms(settings));
    EXPECT_EQ(make_plan(planner, settings, 0, {Operation::Broadcast, 0, 8, 1, true, false}).name,
              name);
  }
}

/// All ops of a prepared program run once in some order: no lane or dependency is lost.
TEST(PreparedProperty, EveryMessageIsInOneLaneInTheOrderOfTheProgram) {
  for_all_seeds(200, [](Random& rng) {
    const topology::Machine machine = topology::random_machine(rng.next(), {2, 12, 3, true});
    const collective::Hierarchy hierarchy(machine);
    Planner planner(hierarchy);
    Settings settings;
    settings.force = true;
    const Operation operations[] = {Operation::Broadcast, Operation::Reduce, Operation::Allreduce,
                                    Operation::Barrier};
    const PlanKey key{operations[rng.below(4)], static_cast<Rank>(rng.below(machine.size())),
                      rng.below(20000),         rng.chance(50) ? 1U : 8U,
                      rng.chance(70),           rng.chance(30)};
    const Rank rank = static_cast<Rank>(rng.below(machine.size()));
    const CachedPlan plan = make_plan(planner, settings, rank, key);
    ASSERT_TRUE(plan.planned);
    const PreparedProgram& p = plan.prepared;
    std::vector<std::uint32_t> messages(p.program.ops.size(), 0);
    for (const Lane& lane : p.lanes) {
      ASSERT_EQ(lane.level, machine.path(rank, lane.peer).level);
      for (std::uint32_t m = lane.first; m < lane.first + lane.count; ++m) {
        const schedule::Op& op = p.program.ops[p.messages[m].op];
        ASSERT_EQ(op.kind == schedule::OpKind::Send, lane.sends);
        ASSERT_EQ(op.peer, lane.peer);
        ASSERT_TRUE(m == lane.first || p.messages[m - 1].op < p.messages[m].op);
        ++messages[p.messages[m].op];
      }
    }
    ASSERT_EQ(messages, p.message_count);
    for (std::uint32_t op = 0; op < messages.size(); ++op) {
      for (std::uint32_t m = p.first_message[op]; m < p.first_message[op + 1]; ++m) {
        ASSERT_EQ(p.messages[p.messages_of_op[m]].op, op);
      }
    }
    std::vector<std::uint32_t> waits = p.waits;
    for (std::uint32_t op = 0; op < waits.size(); ++op) {
      ASSERT_EQ(waits[op], 0u) << "ops can run in the order they stand";
      for (const std::uint32_t next : p.dependents_of(op)) --waits[next];
    }
  });
}

}  // namespace
}  // namespace espalier::runtime
