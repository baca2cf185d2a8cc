// Plans as a program outside sees them: public headers and libespalier-core alone.
#include <gtest/gtest.h>

#include <espalier/drawing.hpp>
#include <espalier/espalier.hpp>

#include "support/for_all_seeds.hpp"

namespace espalier {
namespace {

constexpr int kOperations = 11;

Call random_call(Random& rng, Rank ranks) {
  Call call;
  call.operation = static_cast<Operation>(rng.below(kOperations));
  call.root = static_cast<Rank>(rng.below(ranks));
  call.count = rng.below(2) == 0 ? rng.below(4) : 1 + rng.below(100'000);
  call.element = Bytes{1 + rng.below(16)};
  call.commutative = rng.below(4) != 0;
  const bool has_counts =
      call.operation == Operation::Gather || call.operation == Operation::Scatter ||
      call.operation == Operation::Allgather || call.operation == Operation::Alltoall ||
      call.operation == Operation::ReduceScatter;
  if (!has_counts || rng.below(3) != 0) return call;
  call.counts.resize(call.operation == Operation::Alltoall ? ranks * ranks : ranks);
  for (std::uint64_t& count : call.counts) count = rng.below(2) * rng.below(10'001);
  return call;
}

TEST(PublicPlan, TheChosenOneIsProvenAndNoFasterThanTheBound) {
  for_all_seeds(60, [](Random& rng) {
    const Rank ranks = static_cast<Rank>(1 + rng.below(8));
    const Machine machine =
        load_machine("random:" + std::to_string(1 + rng.below(99999)) + ":" + std::to_string(ranks))
            .value();
    const Call call = random_call(rng, ranks);
    SCOPED_TRACE(std::string(name_of(call.operation)));
    const auto plan = choose_plan(machine, call);
    ASSERT_TRUE(plan) << plan.error();
    const Verdict verdict = plan->verify();
    ASSERT_TRUE(verdict.ok()) << plan->name() << ": " << verdict.findings.front();
    const Simulation run = plan->simulate().value();
    ASSERT_GE(run.finish, lower_bound(machine, call).value().time) << plan->name();
    ASSERT_EQ(run.rank_finish.size(), ranks);
    std::uint64_t messages = 0;
    for (const Simulation::Level& level : run.levels) messages += level.messages;
    ASSERT_EQ(messages, verdict.messages);
    const Plan again = read_plan(machine, plan->to_json()).value();
    ASSERT_EQ(again.hash(), plan->hash());
    ASSERT_EQ(again.simulate().value(), run);
  });
}

TEST(PublicPlan, EveryPlanOfACallIsFoundByItsName) {
  const Machine machine = load_machine("site:2(30ms,100Mbit/s) proc:3(5us)").value();
  for (int o = 0; o < kOperations; ++o) {
    const Call call{.operation = static_cast<Operation>(o), .root = 1, .count = 4096};
    const auto plans = all_plans(machine, call).value();
    ASSERT_FALSE(plans.empty());
    EXPECT_EQ(choose_plan(machine, call).value().hash(), plans.front().hash());
    for (const Plan& plan : plans) {
      ASSERT_GE(plan.predicted().value(), Time{});
      ASSERT_EQ(plan_named(machine, call, plan.name()).value().hash(), plan.hash());
    }
    ASSERT_EQ(operation_named(name_of(call.operation)), call.operation);
  }
}

TEST(PublicPlan, ALateRankMakesItLate) {
  const Machine machine = load_machine("site:2(30ms) proc:2(5us)").value();
  const auto plan = choose_plan(machine, {.operation = Operation::Allreduce, .count = 8});
  const Time usual = plan->simulate()->finish;
  const auto late = plan->simulate({.skew = {Time{}, Time{}, Time{}, milliseconds(500)}});
  EXPECT_GE(late->finish, milliseconds(500));
  EXPECT_LT(usual, milliseconds(500));
  EXPECT_FALSE(plan->simulate({.skew = {Time{}}}));
}

TEST(PublicPlan, ATamperedOneIsRefusedByTheVerifier) {
  const Machine machine = load_machine("proc:3").value();
  const auto plan =
      plan_named(machine, {.operation = Operation::Broadcast, .count = 10}, "binomial");
  ASSERT_TRUE(plan) << plan.error();
  std::string json = plan->to_json();
  // Another root: its data are not what the others get.
  const std::size_t root = json.find("\"root\":0");
  ASSERT_NE(root, std::string::npos);
  json.replace(root, 8, "\"root\":1");
  EXPECT_FALSE(read_plan(machine, json).value().verify().ok());
  EXPECT_FALSE(read_plan(machine, "{}"));
  EXPECT_FALSE(read_plan(load_machine("proc:4").value(), plan->to_json()));
}

TEST(PublicPlan, BlocksBeyondTheirBuffersAreNotRead) {
  const std::string json =
      R"({"format":"espalier-schedule-1","call":{"operation":"scatter","ranks":2,"counts":[1,1]},
"programs":[{"rank":0,"ops":[{"op":"send","peer":1,"from":["in",100000000,1]}]},
{"rank":1,"ops":[{"op":"recv","peer":0,"to":["out",0,1]}]}]})";
  const auto plan = read_plan(load_machine("proc:2").value(), json);
  ASSERT_FALSE(plan);
  EXPECT_NE(plan.error().what.find("reaches up to unit"), std::string::npos) << plan.error();
}

TEST(PublicPlan, LongMessagesOnManyRanksAreCounted) {
  const Machine machine = load_machine("node:32(50us,10Gbit/s) proc:8(1us)").value();
  Call call{.operation = Operation::Broadcast, .count = std::uint64_t{1} << 48U};
  EXPECT_TRUE(lower_bound(machine, call));
  call.operation = Operation::Alltoall;
  EXPECT_FALSE(lower_bound(machine, call));
}

TEST(PublicPlan, PlansOfTooManyMessagesAreNotSimulated) {
  const Machine machine = load_machine("node:8(50us,1Gbit/s) proc:1").value();
  const Call call{.operation = Operation::Broadcast, .count = std::uint64_t{1} << 40U};
  const Plan plan = plan_named(machine, call, "chain 4 KiB").value();
  EXPECT_GT(plan.messages(), kMostSimulated);
  const auto refused = plan.simulate();
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("2,097,152"), std::string::npos) << refused.error();
  EXPECT_NE(to_svg(plan).find("too many to be drawn"), std::string::npos);
}

TEST(PublicPlan, MachinesWithoutFiguresAreOrdinaryClusters) {
  const Machine bare = load_machine("node:4 proc:8").value();
  const Machine told = load_machine("node:4(50us,10Gbit/s) proc:8(500ns,cap=40Gbit/s)").value();
  EXPECT_EQ(bare.notes().size(), 1U);
  EXPECT_EQ(parse_machine(bare.to_json()).value(), bare);
  const Call call{.operation = Operation::Broadcast, .count = 65536};
  const auto plan = choose_plan(bare, call);
  ASSERT_TRUE(plan) << plan.error();
  EXPECT_GT(plan->predicted(), Time{});
  EXPECT_EQ(plan->predicted(), choose_plan(told, call).value().predicted());
  EXPECT_EQ(plan->name(), choose_plan(told, call).value().name());
}

TEST(PublicPlan, RefusesCallsThatMakeNoSense) {
  const Machine machine = load_machine("proc:4").value();
  EXPECT_FALSE(choose_plan(machine, {.operation = Operation::Broadcast, .root = 4}));
  EXPECT_FALSE(choose_plan(machine, {.operation = Operation::Scatter, .counts = {1, 2, 3}}));
  EXPECT_FALSE(choose_plan(machine, {.operation = Operation::Scan, .counts = {1, 2, 3, 4}}));
  EXPECT_FALSE(choose_plan(machine, {.operation = Operation::Reduce, .element = Bytes{0}}));
  EXPECT_FALSE(lower_bound(machine, {.operation = Operation::Reduce, .count = ~std::uint64_t{0}}));
  EXPECT_FALSE(operation_named("brodcast"));
  EXPECT_EQ(operation_named("MPI_Bcast"), Operation::Broadcast);
  const auto named = plan_named(machine, {.operation = Operation::Broadcast, .count = 1}, "rung");
  ASSERT_FALSE(named);
  EXPECT_NE(named.error().hint.find("binomial"), std::string::npos) << named.error().hint;
}

}  // namespace
}  // namespace espalier
