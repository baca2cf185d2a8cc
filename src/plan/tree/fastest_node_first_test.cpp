#include <gtest/gtest.h>

#include <algorithm>

#include "base/contract.hpp"
#include "support/broadcast_oracles.hpp"
#include "support/for_all_seeds.hpp"
#include "support/random_trees.hpp"
#include "tree/initiation_trees.hpp"
#include "tree/tree_time.hpp"

namespace espalier::tree {
namespace {

using Costs = std::vector<Time>;

TEST(FastestNodeFirst, KeepsTheSlowRankALeaf) {
  const Costs costs{{1}, {9}, {1}, {1}};  // rank 1 is nine times slower
  const CommTree tree = fastest_node_first(costs, everybody(4, 0));
  EXPECT_TRUE(tree.children(1).empty());
  EXPECT_EQ(initiation_time(tree, costs), Time{2});
}

TEST(FastestNodeFirst, TakesFourHundredInThePapersExample) {
  const Costs costs{{100}, {300}, {300}, {300}, {300}, {100}, {300}, {300}};
  EXPECT_EQ(initiation_time(fastest_node_first(costs, everybody(8, 0)), costs), Time{400});
}

TEST(FastestNodeFirst, RefusesCostsThatDoNotFitTheMachine) {
  EXPECT_THROW((void)fastest_node_first(Costs{{1}, {1}}, everybody(3, 2)), ContractViolation);
}

Time sum_of_arrivals(const CommTree& tree, const Costs& costs) {
  Time sum{0};
  std::vector<Time> has_it(tree.size());
  for (const Rank r : tree.preorder()) {
    Time sent = has_it[r];
    for (const Rank c : tree.children(r)) sum += has_it[c] = sent += costs[r];
  }
  return sum;
}

// The oracles themselves, against every ordered tree there is.
TEST(BroadcastOracles, AreTheLeastOfAllTrees) {
  for_all_seeds(12, [](Random& rng) {
    const auto count = static_cast<Rank>(rng.between(1, 6));
    const Costs costs = random_costs(rng, count, /*zeros=*/true);
    Participants who = everybody(count, 0);
    Time last = kForever;
    Time sum = kForever;
    do {
      for_all_trees(who, [&](const CommTree& tree) {
        last = std::min(last, initiation_time(tree, costs));
        sum = std::min(sum, sum_of_arrivals(tree, costs));
      });
    } while (std::next_permutation(who.others.begin(), who.others.end()));
    ASSERT_EQ(least_last_arrival(costs, who), last);
    ASSERT_EQ(least_sum_of_arrivals(costs, who), sum);
  });
}

// S. Khuller, Y.-A. Kim, "Broadcasting in heterogeneous networks", Algorithmica 2007.
TEST(FastestNodeFirstProperty, MinimisesTheSumOfArrivalsAndStaysWithinThreeHalvesOfTheOptimum) {
  for_all_seeds(3000, [](Random& rng) {
    const auto count = static_cast<Rank>(rng.between(1, 7));
    const Costs costs = random_costs(rng, count, /*zeros=*/true);
    const Participants who = random_participants(rng, count);
    const CommTree tree = fastest_node_first(costs, who);
    ASSERT_TRUE(spans(tree, who));
    ASSERT_EQ(sum_of_arrivals(tree, costs), least_sum_of_arrivals(costs, who));
    ASSERT_LE(2 * initiation_time(tree, costs), 3 * least_last_arrival(costs, who));
  });
}

TEST(FastestNodeFirstProperty, IsTheSameTreeInWhateverOrderTheOthersAreNamed) {
  for_all_seeds(100, [](Random& rng) {
    const auto count = static_cast<Rank>(rng.between(2, 60));
    Participants who = everybody(count, static_cast<Rank>(rng.below(count)));
    const Costs costs = random_costs(rng, count);
    const CommTree one = fastest_node_first(costs, who);
    rng.shuffle(std::span(who.others));
    ASSERT_EQ(one, fastest_node_first(costs, who));
  });
}

}  // namespace
}  // namespace espalier::tree
