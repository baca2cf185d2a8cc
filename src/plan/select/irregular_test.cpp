#include "select/irregular.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/contract.hpp"
#include "model/pair_models.hpp"
#include "select/block_counts.hpp"
#include "select/counted_runs.hpp"
#include "support/for_all_seeds.hpp"
#include "support/random_blocks.hpp"
#include "topology/random_machine.hpp"
#include "topology/readers.hpp"

namespace espalier::select {
namespace {

using schedule::Collective;
using schedule::Operation;

Collective call_of(Operation operation, Rank size, std::vector<std::uint64_t> counts) {
  return {operation, size, 0, 0, Bytes{1}, true, std::move(counts)};
}

Time time_of(const std::vector<IrregularChoice>& ranking, const std::string& name) {
  for (const IrregularChoice& choice : ranking) {
    if (name_of(choice.plan) == name) return choice.predicted;
  }
  return kForever;
}

TEST(ConditionsUnder, AreThoseOfTheMpiLibrary) {
  const auto machine = *topology::parse_synthetic("site:2(10ms,1Gbit/s) proc:4(50us,1Gbit/s)");
  const sim::SimOptions mpich = conditions_under(NativeMpi::Mpich, machine);
  EXPECT_EQ(mpich.eager_limit, Bytes{32768});
  EXPECT_TRUE(mpich.ordered_pairs);
  EXPECT_FALSE(mpich.shares_by_latency);
  EXPECT_EQ(mpich.sharing, sim::Sharing::ExactMaxMin);
  EXPECT_EQ(conditions_under(NativeMpi::OpenMpi, machine).eager_limit, Bytes{65536});
  for (const NativeMpi mpi : {NativeMpi::Smpi, NativeMpi::Unknown}) {
    const sim::SimOptions options = conditions_under(mpi, machine);
    EXPECT_FALSE(options.ordered_pairs);
    EXPECT_TRUE(options.shares_by_latency);
    EXPECT_EQ(options.eager_limit, Bytes{65536});
  }
  const auto many = *topology::parse_synthetic("node:300(50us,1Gbit/s)");
  EXPECT_EQ(conditions_under(NativeMpi::Mpich, many).sharing, sim::Sharing::OneBottleneck);
}

// Four messages of 40,000 bytes to the far site, one by one: with MPICH each waits for its
// receiver, and the next one for it. Open MPI sends them eagerly.
TEST(ConditionsUnder, DecideWhetherAMessageWaitsForItsReceiver) {
  const auto machine =
      *topology::parse_synthetic("site:2(10ms,1Gbit/s) proc:4(50us,1Gbit/s,send=10us)");
  const Collective call = call_of(Operation::Scatter, 8, std::vector<std::uint64_t>(8, 40'000));
  IrregularPlan plan = irregular_plan("linear", machine, call);
  plan.sending = collective::Sending::OneByOne;
  const auto under = [&](NativeMpi mpi) {
    return predict(plan, machine, call, conditions_under(mpi, machine));
  };
  EXPECT_GT(under(NativeMpi::Mpich), milliseconds(40));
  EXPECT_LT(under(NativeMpi::OpenMpi), milliseconds(15));
}

TEST(IrregularRanking, BeatsLinearWhereTheRootPaysForEachMessage) {
  const auto machine = *topology::parse_synthetic("proc:64(50us,1Gbit/s,send=100us,recv=1us)");
  const Collective call = call_of(Operation::Scatter, 64, std::vector<std::uint64_t>(64, 100));
  IrregularConditions conditions;
  conditions.trials = 0;
  const auto ranking = irregular_ranking(machine, call, conditions);
  EXPECT_GT(time_of(ranking, "linear"), milliseconds(6));
  EXPECT_LT(time_of(ranking, "model-traeff"), milliseconds(2));
  EXPECT_LT(time_of(ranking, "minimum-first"), milliseconds(2));
}

TEST(IrregularRanking, KnowsThatCappedFlowsWantManyMessages) {
  const auto machine = *topology::parse_synthetic(
      "site:2(10ms,1Gbit/s,cap=52Mbit/s) proc:16(50us,1Gbit/s,send=1us,recv=1us)");
  const Collective call =
      call_of(Operation::Scatter, 32, std::vector<std::uint64_t>(32, 1'000'000));
  IrregularConditions conditions;
  conditions.trials = 0;
  const auto ranking = irregular_ranking(machine, call, conditions);
  EXPECT_GT(time_of(ranking, "clustered-1").picoseconds, 5 * ranking.front().predicted.picoseconds);
}

// The tree of gathers spans ranks without a block too.
TEST(IrregularRanking, PutsWhatWasChosenInThePlaceOfItsName) {
  const auto machine = *topology::parse_synthetic("node:4(50us,1Gbit/s) proc:4(1us,10Gbit/s)");
  std::vector<std::uint64_t> counts(16, 0);
  counts[6] = counts[7] = 1000;
  const Collective call = call_of(Operation::Gather, 16, counts);
  IrregularConditions conditions;
  conditions.trials = 0;
  const CountedRuns runs = counted_runs(machine, call);
  const IrregularChoice chosen{runs.plan, runs.predicted, true};
  ScheduleTimes times(machine, conditions.sim, kAnyMessages);
  const auto ranking = irregular_ranking(machine, call, conditions, times, chosen);
  const auto is_it = [&](const IrregularChoice& choice) {
    return name_of(choice.plan) == name_of(chosen.plan);
  };
  ASSERT_EQ(std::count_if(ranking.begin(), ranking.end(), is_it), 1);
  const IrregularChoice& found = *std::find_if(ranking.begin(), ranking.end(), is_it);
  EXPECT_EQ(found.plan, chosen.plan);
  EXPECT_EQ(found.predicted, chosen.predicted);
  EXPECT_EQ(found.plan.tree.member_count(), 16U);
}

TEST(IrregularRanking, SimulatesNoMoreThanItsBudgetAndSaysWhat) {
  const auto machine = *topology::parse_synthetic("node:8(50us,1Gbit/s) proc:8(1us,10Gbit/s)");
  const Collective call = call_of(Operation::Scatter, 64, std::vector<std::uint64_t>(64, 1000));
  IrregularConditions conditions;
  const auto all = irregular_ranking(machine, call, conditions);
  for (const IrregularChoice& choice : all) EXPECT_TRUE(choice.is_simulated);
  conditions.messages = 63 * 9;  // nine trees, if no links are shared by many
  const auto some = irregular_ranking(machine, call, conditions);
  const auto first_other = std::find_if(some.begin(), some.end(),
                                        [](const auto& choice) { return !choice.is_simulated; });
  EXPECT_GE(first_other - some.begin(), 1);
  EXPECT_LE(first_other - some.begin(), 9);
  EXPECT_TRUE(std::none_of(first_other, some.end(), [](const auto& c) { return c.is_simulated; }));
  EXPECT_TRUE(std::is_sorted(first_other, some.end(), [](const auto& a, const auto& b) {
    return a.predicted < b.predicted;
  }));
  // What is simulated has the same time, and the trees of a quick choice come first.
  for (auto it = some.begin(); it != first_other; ++it) {
    EXPECT_EQ(it->predicted, time_of(all, name_of(it->plan)));
  }
  EXPECT_TRUE(std::any_of(some.begin(), first_other,
                          [](const auto& choice) { return choice.plan.algorithm == "linear"; }));
  // Whether or not it is simulated, every tree is there.
  EXPECT_LT(time_of(some, "binomial one by one"), kForever);
}

TEST(IrregularRanking, GoesByTheModelIfNothingFits) {
  const auto machine = *topology::parse_synthetic("proc:16(50us,1Gbit/s,send=10us)");
  const Collective call = call_of(Operation::Gather, 16, std::vector<std::uint64_t>(16, 1000));
  IrregularConditions conditions;
  conditions.messages = 0;
  const auto ranking = irregular_ranking(machine, call, conditions);
  ASSERT_FALSE(ranking.empty());
  for (const IrregularChoice& choice : ranking) EXPECT_FALSE(choice.is_simulated);
  EXPECT_GT(ranking.front().predicted, Time{0});
}

TEST(IrregularRankingProperty, KeepsToTheLimitOfBundlesAndIsDeterministic) {
  for_all_seeds(10, [](Random& rng) {
    const topology::Machine machine = topology::random_machine(rng.next(), {2, 16});
    std::vector<std::uint64_t> counts;
    std::vector<Bytes> bytes = random_blocks(rng, machine.size());
    for (const Bytes b : bytes) counts.push_back(b.value);
    const Collective call = call_of(rng.chance(50) ? Operation::Scatter : Operation::Gather,
                                    machine.size(), std::move(counts));
    IrregularConditions conditions;
    conditions.trials = 20;
    conditions.bundle_limit = Bytes{rng.below(200'000)};
    const auto ranking = irregular_ranking(machine, call, conditions);
    for (const IrregularChoice& choice : ranking) {
      ASSERT_LE(largest_bundle(choice.plan.tree, bytes), conditions.bundle_limit);
      ASSERT_GE(choice.predicted.picoseconds * 101 / 100 + 1,
                ranking.front().predicted.picoseconds);
    }
    ASSERT_EQ(irregular_ranking(machine, call, conditions).front().plan, ranking.front().plan);
  });
}

TEST(IrregularPlan, GoesByTheModelThatIsGivenForEachPair) {
  // The machine has equal links. The model says that 0 reaches 5 soon, and 5 all others soon.
  const auto machine = *topology::parse_synthetic("proc:8(50us,1Gbit/s)");
  model::PairMatrix<Time> alpha(8, milliseconds(9));
  alpha(0, 5) = alpha(5, 0) = microseconds(1);
  for (Rank r = 0; r < 8; ++r) {
    if (r != 5) alpha(5, r) = alpha(r, 5) = microseconds(2);
  }
  const model::PairHockney model(alpha, model::PairMatrix<Bandwidth>(8, kUnlimited));
  for (const Operation operation : {Operation::Scatter, Operation::Gather}) {
    const Collective call = call_of(operation, 8, std::vector<std::uint64_t>(8, 100));
    IrregularConditions conditions;
    const IrregularPlan by_levels = irregular_plan("minimum-first", machine, call, conditions);
    conditions.model = &model;
    const IrregularPlan plan = irregular_plan("minimum-first", machine, call, conditions);
    EXPECT_NE(plan.tree, by_levels.tree);
    EXPECT_EQ(plan.tree.parent(5), 0U);
    EXPECT_EQ(irregular_plan("farthest-first", machine, call, conditions).tree.children(0).back(),
              5U);
  }
}

TEST(IrregularPlan, RefusesAModelOfOtherRanks) {
  const auto machine = *topology::parse_synthetic("proc:8(50us,1Gbit/s)");
  const model::Hockney model(7, microseconds(1), kUnlimited);
  IrregularConditions conditions;
  conditions.model = &model;
  const Collective call = call_of(Operation::Scatter, 8, std::vector<std::uint64_t>(8, 100));
  EXPECT_THROW((void)irregular_plan("linear", machine, call, conditions), ContractViolation);
}

TEST(BlockCounts, SumUpToTheMeanTimesTheRanks) {
  const auto machine = *topology::parse_synthetic("proc:40(1us)");
  for (const std::string& name : count_distributions()) {
    const bool draws = name != "equal" && name != "cpu-speed";
    const std::string asked = draws ? name + ":3" : name;
    const auto counts = counts_from(asked, machine, Bytes{10'000});
    ASSERT_TRUE(counts) << name;
    std::uint64_t sum = 0;
    for (const std::uint64_t c : *counts) sum += c;
    EXPECT_NEAR(static_cast<double>(sum), 400'000.0, 4'000.0) << name;
    EXPECT_EQ(*counts, *counts_from(asked, machine, Bytes{10'000}));
  }
}

TEST(BlockCounts, RefuseSeedsAndFilesThatAreNone) {
  const auto machine = *topology::parse_synthetic("proc:4(1us)");
  EXPECT_FALSE(counts_from("giant:x", machine, Bytes{10}));
  EXPECT_FALSE(counts_from("no-such-file", machine, Bytes{10}));
}

}  // namespace
}  // namespace espalier::select
