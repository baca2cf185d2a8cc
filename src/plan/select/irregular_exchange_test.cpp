#include "select/irregular_exchange.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/contract.hpp"
#include "collective/alltoall.hpp"
#include "collective/irregular_allgather.hpp"
#include "select/chooser.hpp"
#include "select/irregular.hpp"
#include "select/quick_irregular.hpp"
#include "sim/simulate.hpp"
#include "support/for_all_seeds.hpp"
#include "support/run_schedule.hpp"
#include "topology/readers.hpp"

namespace espalier::select {
namespace {

using collective::IrregularAllgather;
using schedule::Buffer;
using schedule::Collective;
using schedule::Operation;
using testing_support::ScheduleRun;

/// Every block that is not empty is where it belongs, and no empty one has travelled.
void expect_blocks(const schedule::Schedule& schedule, std::uint64_t seed) {
  const Collective& call = schedule.call;
  ScheduleRun run(schedule, seed);
  ASSERT_EQ(run.run(), "");
  for (Rank r = 0; r < call.size; ++r) {
    for (Rank from = 0; from < call.size; ++from) {
      const bool to_all = call.operation == Operation::Allgather;
      const std::size_t block = to_all ? from : std::size_t{from} * call.size + r;
      const auto& found = run.units(r, Buffer::Out)[from];
      if (call.counts[block] == 0) {
        EXPECT_EQ(found.count, 0U) << r << " has an empty block of " << from;
      } else {
        EXPECT_EQ(found.multiset, testing_support::input(from, to_all ? 0 : r).multiset)
            << r << " lacks the block of " << from;
      }
    }
  }
}

TEST(IrregularAllgatherProperty, BringsEverybodyEverythingAlongAnyTree) {
  for_all_seeds(200, [](Random& rng) {
    const auto size = static_cast<Rank>(1 + rng.below(16));
    Collective call{Operation::Allgather,
                    size,
                    static_cast<Rank>(rng.below(size)),
                    0,
                    Bytes{1},
                    true,
                    std::vector<std::uint64_t>(size, 1)};
    const tree::CommTree tree = random_tree(call, rng.next());
    for (std::uint64_t& count : call.counts) count = rng.chance(30) ? 0 : rng.below(1000);
    call.root = 0;
    const IrregularAllgather plan(tree, call, Bytes{rng.below(1200)});
    schedule::Schedule schedule{call, "tree", {}};
    for (Rank r = 0; r < size; ++r) schedule.programs.push_back(plan.program_of(r));
    expect_blocks(schedule, rng.next());
  });
}

TEST(SparseAlltoallProperty, BringsEverybodyWhatIsThere) {
  for_all_seeds(100, [](Random& rng) {
    const auto size = static_cast<Rank>(1 + rng.below(12));
    Collective call{Operation::Alltoall, size, 0, 0, Bytes{1}, true, {}};
    for (std::size_t i = 0; i < std::size_t{size} * size; ++i) {
      call.counts.push_back(rng.chance(70) ? 0 : rng.below(1000));
    }
    call.counts[0] = 1;
    schedule::Schedule schedule{call, "sparse", {}};
    for (Rank r = 0; r < size; ++r) {
      schedule.programs.push_back(collective::sparse_alltoall(call, r));
    }
    expect_blocks(schedule, rng.next());
  });
}

TEST(ExchangeRanking, PutsTreesByCountsFirstWhereOneRankHasNearlyEverything) {
  const auto machine =
      *topology::parse_synthetic("site:2(10ms,100Mbit/s) proc:8(50us,1Gbit/s,send=1us,recv=1us)");
  const collective::Hierarchy hierarchy(machine);
  std::vector<std::uint64_t> counts(16, 10);
  counts[3] = 1'000'000;
  const Collective call{Operation::Allgather, 16, 0, 0, Bytes{1}, true, counts};
  const auto ranking = exchange_ranking(hierarchy, call, smpi_conditions(machine));
  EXPECT_TRUE(ranking.front().by_counts) << ranking.front().name;
  for (std::size_t i = 1; i < ranking.size(); ++i) {
    EXPECT_LE(ranking[i - 1].predicted, ranking[i].predicted);
  }
}

/// On two sites, of which each has one link.
topology::Machine two_sites() {
  return *topology::parse_synthetic(
      "site:2(10ms,100Mbit/s) proc:8(50us,1Gbit/s,send=1us,recv=1us)");
}

TEST(ChooseByCounts, TakesWhatIsTheFastestForTheseLengths) {
  const topology::Machine machine = two_sites();
  const collective::Hierarchy hierarchy(machine);
  for (const NativeMpi mpi : {NativeMpi::Unknown, NativeMpi::Mpich, NativeMpi::Smpi}) {
    Chooser chooser(hierarchy, rules_for(mpi));
    for (const Rank longest : {3, 12}) {
      std::vector<std::uint64_t> counts(16, 10);
      counts[longest] = 1'000'000;
      const Collective call{Operation::Allgather, 16, 0, 0, Bytes{1}, true, counts};
      const auto all = exchange_ranking(hierarchy, call, exchange_conditions(mpi, machine));
      const PlanChoice choice = chooser.choose(call);
      ASSERT_TRUE(choice.planned());
      EXPECT_EQ(choice.why, "the shortest predicted time for these lengths");
      EXPECT_LE(to_seconds(*choice.predicted), 1.01 * to_seconds(all.front().predicted));
      EXPECT_LT(*choice.predicted, *choice.native_predicted);
      const PlanChoice by_mean = chooser.choose(with_assumed_blocks(call), WhichPlan::Best);
      EXPECT_NE(choice.name, by_mean.name);
      EXPECT_EQ(chooser.alternatives(call).front().name, choice.name);
    }
  }
}

TEST(ChooseByCounts, GoesByTheMeanWhereLengthsAreEqualOrRanksAreMany) {
  Collective call{Operation::Allgather, 4, 0, 0, Bytes{1}, true, {5, 5, 5, 5}};
  EXPECT_FALSE(is_chosen_by_counts(call));
  call.counts[2] = 6;
  EXPECT_TRUE(is_chosen_by_counts(call));
  call.operation = Operation::Gather;
  EXPECT_FALSE(is_chosen_by_counts(call));
  call.operation = Operation::Allgather;
  call.size = 65;
  call.counts.assign(65, 7);
  call.counts[3] = 1'000'000;
  EXPECT_FALSE(is_chosen_by_counts(call));
}

/// A ring among so many has as many messages as all plans by the lengths may have.
TEST(ChooseByCounts, SeesWhatNativeAlgorithmsTakeAmongManyRanks) {
  const topology::Machine machine =
      *topology::parse_synthetic("site:2(10ms,100Mbit/s) node:8(50us,1Gbit/s) proc:4(1us)");
  const collective::Hierarchy hierarchy(machine);
  Chooser chooser(hierarchy, rules_for(NativeMpi::Mpich));
  std::vector<std::uint64_t> counts(64, 100);
  counts[3] = 100'000;
  const PlanChoice choice =
      chooser.choose({Operation::Allgather, 64, 0, 0, Bytes{1}, true, counts});
  EXPECT_TRUE(choice.planned());
  ASSERT_TRUE(choice.native_predicted);
  EXPECT_LT(1.05 * to_seconds(*choice.predicted), to_seconds(*choice.native_predicted));
}

TEST(ChooseByCounts, DecidesAlikeWhateverWasAskedBefore) {
  const topology::Machine machine = two_sites();
  const collective::Hierarchy hierarchy(machine);
  Chooser one(hierarchy), other(hierarchy);
  for_all_seeds(10, [&](Random& rng) {
    Collective call{Operation::Allgather, 16, 0, 0, Bytes{4}, true, {}};
    for (Rank r = 0; r < 16; ++r)
      call.counts.push_back(rng.chance(20) ? 100'000 : 1 + rng.below(50));
    (void)other.choose(with_assumed_blocks(call));
    const PlanChoice a = one.choose(call, WhichPlan::Best), b = other.choose(call, WhichPlan::Best);
    ASSERT_EQ(a.name, b.name);
    ASSERT_EQ(a.plan, b.plan);
    ASSERT_EQ(plan_named(a.name, hierarchy, call), a.plan);
    schedule::Schedule schedule{call, a.name, {}};
    for (Rank r = 0; r < 16; ++r) {
      schedule.programs.push_back(own_part(a, hierarchy, call, r));
    }
    expect_blocks(schedule, rng.next());
  });
}

/// A name says how many blocks flow by themselves.
TEST(ChooseByCounts, EveryPlanByTheLengthsIsFoundByItsName) {
  const topology::Machine machine = two_sites();
  const collective::Hierarchy hierarchy(machine);
  std::vector<std::uint64_t> counts(16, 10);
  counts[2] = 2000;
  counts[9] = 10'000;
  counts[14] = 300'000;
  const Collective call{Operation::Allgather, 16, 0, 0, Bytes{8}, true, counts};
  std::size_t by_counts = 0;
  for (const Plan& plan : proposed_plans(hierarchy, call)) {
    const std::string name = name_of(plan, call);
    EXPECT_EQ(plan_named(name, hierarchy, call), plan) << name;
    by_counts += name.find(" by counts") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(by_counts, 36U);  // nine trees, with none, one, two or three blocks by themselves
  EXPECT_FALSE(plan_named("linear by counts, 17 blocks by themselves", hierarchy, call));
  EXPECT_FALSE(plan_named("linear by counts, 4 blocks by themselves", hierarchy, call));
}

TEST(ExchangeRanking, RefusesRootedCalls) {
  const auto machine = *topology::parse_synthetic("proc:2(1us)");
  const collective::Hierarchy hierarchy(machine);
  const Collective call{Operation::Gather, 2, 0, 0, Bytes{1}, true, {1, 1}};
  EXPECT_THROW((void)exchange_ranking(hierarchy, call, {}), ContractViolation);
}

TEST(ExchangeRanking, SimulatesTheBestByPredictionFirstAndNoMoreThanItsBudget) {
  const auto machine = *topology::parse_synthetic("node:4(50us,1Gbit/s) proc:4(1us,10Gbit/s)");
  const collective::Hierarchy hierarchy(machine);
  for (const Operation operation : {Operation::Allgather, Operation::Alltoall}) {
    const std::size_t blocks = operation == Operation::Allgather ? 16 : 256;
    const Collective call{
        operation, 16, 0, 0, Bytes{1}, true, std::vector<std::uint64_t>(blocks, 5000)};
    const auto all = exchange_ranking(hierarchy, call, {});
    for (const ExchangeChoice& choice : all) EXPECT_TRUE(choice.is_simulated) << choice.name;
    const auto some = exchange_ranking(hierarchy, call, {}, 600);
    EXPECT_TRUE(some.front().is_simulated);
    EXPECT_FALSE(some.back().is_simulated);
    EXPECT_LT(some.back().predicted, kForever);
    EXPECT_EQ(some.size(), all.size());
    EXPECT_TRUE(std::is_sorted(some.begin(), some.end(), [](const auto& a, const auto& b) {
      return a.is_simulated && !b.is_simulated;
    }));
    // Blocks are equal here: what was simulated first is near the best of all.
    EXPECT_LE(some.front().predicted.picoseconds, 2 * all.front().predicted.picoseconds);
  }
}

TEST(ExchangeRanking, PutsWhatWasChosenInThePlaceOfItsName) {
  const auto machine = *topology::parse_synthetic("node:4(50us,1Gbit/s) proc:4(1us,10Gbit/s)");
  const collective::Hierarchy hierarchy(machine);
  std::vector<std::uint64_t> counts(16, 100);
  counts[5] = 1'000'000;
  const Collective call{Operation::Allgather, 16, 0, 0, Bytes{1}, true, counts};
  const sim::SimOptions options;
  const auto all = exchange_ranking(hierarchy, call, options);
  Chooser chooser(hierarchy);
  ExchangeChoice chosen = exchange_choice(
      hierarchy, call, *chooser.choose(with_assumed_blocks(call), WhichPlan::Best).plan);
  EXPECT_FALSE(chosen.is_simulated);
  ScheduleTimes times(machine, options, kAnyMessages);
  chosen.predicted = *times.of(schedule_of(chosen, call));
  chosen.is_simulated = true;
  const auto beside = exchange_ranking(hierarchy, call, times, chosen);
  ASSERT_EQ(beside.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(beside[i].name, all[i].name);
    EXPECT_EQ(beside[i].predicted, all[i].predicted);
  }
}

}  // namespace
}  // namespace espalier::select
