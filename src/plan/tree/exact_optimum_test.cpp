#include "tree/exact_optimum.hpp"

#include <gtest/gtest.h>

#include "base/contract.hpp"
#include "support/broadcast_oracles.hpp"
#include "support/for_all_seeds.hpp"
#include "support/random_trees.hpp"
#include "tree/initiation_trees.hpp"
#include "tree/tree_time.hpp"

namespace espalier::tree {
namespace {

using Costs = std::vector<Time>;

TEST(ExactOptimum, TakesFourHundredInThePapersExample) {
  const Costs costs{{100}, {300}, {300}, {300}, {300}, {100}, {300}, {300}};
  const ExactResult best = exact_optimum(costs, everybody(8, 0));
  EXPECT_EQ(best.value, Time{400});
  EXPECT_TRUE(best.proven());
  EXPECT_EQ(best.end, ExactEnd::Proven);
}

// FNF serves the fast rank first, both times; the optimum lets a slow one go first.
TEST(ExactOptimum, BeatsFastestNodeFirstWhereThatIsNotOptimal) {
  const Costs costs{{3}, {2}, {3}, {3}, {3}, {3}};
  const Participants who = everybody(6, 0);
  const ExactResult best = exact_optimum(costs, who);
  EXPECT_TRUE(best.proven());
  EXPECT_EQ(best.value, least_last_arrival(costs, who));
}

TEST(ExactOptimum, OfOneParticipantTakesNoTime) {
  const ExactResult best = exact_optimum(Costs{{5}, {7}}, multicast(2, 1, {}));
  EXPECT_EQ(best.value, Time{0});
  EXPECT_TRUE(best.proven());
}

TEST(ExactOptimum, LeavesOutWhoTakesNoPart) {
  const Costs costs{{5}, {1}, {5}, {5}, {5}};
  const std::vector<Rank> to{2, 3, 4};
  const ExactResult best = exact_optimum(costs, multicast(5, 0, to));
  EXPECT_FALSE(best.tree.contains(1));
  EXPECT_EQ(best.value, Time{10});
}

TEST(ExactOptimum, BearsWithRanksThatCanNotSend) {
  const Costs costs{{2}, kForever, kForever, {1}, kForever};
  const ExactResult best = exact_optimum(costs, everybody(5, 0));
  EXPECT_TRUE(best.proven());
  EXPECT_EQ(best.value, Time{4});
  const ExactResult never = exact_optimum(costs, everybody(5, 1));
  EXPECT_EQ(never.value, kForever);
  EXPECT_TRUE(never.proven());
}

TEST(ExactOptimum, BearsWithCostsOfVeryDifferentSize) {
  const Costs costs{seconds(1), Time{1}, Time{3}, Time{7}, milliseconds(5), seconds(2), Time{11}};
  const Participants who = everybody(7, 0);
  const ExactResult best = exact_optimum(costs, who);
  EXPECT_TRUE(best.proven());
  EXPECT_EQ(best.value, least_last_arrival(costs, who));
}

TEST(ExactOptimum, RefusesCostsThatDoNotFitTheMachine) {
  EXPECT_THROW((void)exact_optimum(Costs{{1}, {1}}, everybody(3, 2)), ContractViolation);
}

// 40 different costs and hardly any steps: whatever comes out must still be true.
TEST(ExactOptimum, SaysHowFarFromOptimalItMayBeWhenStepsRunOut) {
  Random rng(7);
  Costs costs(40);
  for (Time& cost : costs) cost = Time{rng.between(100'000, 800'000)};
  const Participants who = everybody(40, 0);
  const ExactResult hasty = exact_optimum(costs, who, {.search_steps = 100, .wall_clock = {}});
  const ExactResult patient = exact_optimum(costs, who);
  EXPECT_EQ(hasty.end, ExactEnd::OutOfSteps);
  EXPECT_FALSE(hasty.proven());
  EXPECT_GT(hasty.gap(), 0.0);
  EXPECT_LE(hasty.lower_bound, patient.value);
  EXPECT_LE(patient.value, hasty.value);
  EXPECT_EQ(initiation_time(hasty.tree, costs), hasty.value);
}

TEST(ExactOptimum, SaysSoWhenTimeRunsOut) {
  Random rng(7);
  Costs costs(40);
  for (Time& cost : costs) cost = Time{rng.between(100'000, 800'000)};
  const Participants who = everybody(40, 0);
  const ExactResult none = exact_optimum(
      costs, who, {.search_steps = 2'000'000, .wall_clock = std::chrono::milliseconds(0)});
  EXPECT_EQ(none.end, ExactEnd::OutOfTime);
  EXPECT_EQ(none.tree, fastest_node_first(costs, who));
  EXPECT_LT(none.lower_bound, none.value);
}

TEST(ExactOptimum, OfMoreThanItSearchesIsFastestNodeFirstAndABound) {
  Random rng(1);
  Costs costs(kExactSearchable + 1);
  for (Time& cost : costs) cost = Time{rng.between(100'000, 800'000)};
  const Participants who = everybody(kExactSearchable + 1, 0);
  const ExactResult best = exact_optimum(costs, who);
  EXPECT_EQ(best.end, ExactEnd::TooLarge);
  EXPECT_EQ(best.tree, fastest_node_first(costs, who));
  EXPECT_LT(best.gap(), 0.25);
  EXPECT_LT(best.lower_bound, best.value);
}

TEST(ExactOptimumProperty, IsThePapersRecurrenceAndSatisfiesLemma2) {
  for_all_seeds(6000, [](Random& rng) {
    const auto count = static_cast<Rank>(rng.between(1, 7));
    const Costs costs = random_costs(rng, count, /*zeros=*/true);
    const Participants who = random_participants(rng, count);
    const ExactResult best = exact_optimum(costs, who);
    ASSERT_TRUE(best.proven());
    ASSERT_EQ(best.value, least_last_arrival(costs, who));
    ASSERT_EQ(best.value, initiation_time(best.tree, costs));
    ASSERT_TRUE(spans(best.tree, who));
    ASSERT_TRUE(has_faster_parents(best.tree, costs));
  });
}

// Larger ones reach the deeper parts of the search, where its rules have more to throw away.
TEST(ExactOptimumProperty, IsThePapersRecurrenceForTenParticipantsToo) {
  for_all_seeds(60, [](Random& rng) {
    const auto count = static_cast<Rank>(rng.between(8, 10));
    const Costs costs = random_costs(rng, count);
    const Participants who = random_participants(rng, count);
    const ExactResult best = exact_optimum(costs, who);
    ASSERT_TRUE(best.proven());
    ASSERT_EQ(best.value, least_last_arrival(costs, who));
  });
}

TEST(ExactOptimumProperty, IsTheSameTreeInWhateverOrderTheOthersAreNamed) {
  for_all_seeds(50, [](Random& rng) {
    const Costs costs = random_costs(rng, 16);
    Participants who = everybody(16, static_cast<Rank>(rng.below(16)));
    const CommTree one = exact_optimum(costs, who).tree;
    rng.shuffle(std::span(who.others));
    ASSERT_EQ(one, exact_optimum(costs, who).tree);
  });
}

// 3/2: S. Khuller, Y.-A. Kim, "Broadcasting in heterogeneous networks", Algorithmica 2007.
TEST(ExactOptimumProperty, IsNeverAboveFastestNodeFirstNorBelowTwoThirdsOfIt) {
  for_all_seeds(100, [](Random& rng) {
    const auto count = static_cast<Rank>(rng.between(8, 24));
    const Costs costs = random_costs(rng, count);
    const Participants who = random_participants(rng, count);
    const ExactResult best = exact_optimum(costs, who);
    const Time fnf = initiation_time(fastest_node_first(costs, who), costs);
    ASSERT_LE(best.value, fnf);
    ASSERT_LE(2 * fnf, 3 * best.value);
    ASSERT_LE(best.lower_bound, best.value);
    ASSERT_TRUE(spans(best.tree, who));
    ASSERT_TRUE(has_faster_parents(best.tree, costs));
  });
}

}  // namespace
}  // namespace espalier::tree
