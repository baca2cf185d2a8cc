#include <gtest/gtest.h>

#include <algorithm>

#include "base/contract.hpp"
#include "support/broadcast_oracles.hpp"
#include "support/for_all_seeds.hpp"
#include "support/random_trees.hpp"
#include "tree/initiation_trees.hpp"
#include "tree/shapes.hpp"
#include "tree/tree_time.hpp"

namespace espalier::tree {
namespace {

using Costs = std::vector<Time>;

/// Two classes; `fast` participants, the root among them, are of the faster one.
Costs two_classes(Random& rng, const Participants& who, Rank fast) {
  const Time quick{rng.between(1, 50)};
  Costs costs(who.machine_size, quick + Time{rng.between(1, 200)});
  std::vector<Rank> others = who.others;
  rng.shuffle(std::span(others));
  costs[who.root] = quick;
  for (Rank i = 0; i + 1 < fast; ++i) costs[others[i]] = quick;
  return costs;
}

TEST(Spoc, TakesFiveHundredInThePapersExample) {
  const Costs costs{{100}, {300}, {300}, {300}, {300}, {100}, {300}, {300}};
  const CommTree tree = spoc(costs, everybody(8, 0));
  EXPECT_EQ(initiation_time(tree, costs), Time{500});
  EXPECT_EQ(tree.children(0).front(), 5U);  // the other fast one has most descendants
  EXPECT_EQ(tree.children(5).size(), 2U);
}

// Of 18 places two have one descendant in common but not their step. The later one has no time to
// lose: with a slow rank there it would take 3200.
TEST(Spoc, GivesTheFasterOfTwoToThePlaceThatIsServedLater) {
  Costs costs(18, Time{1600});
  for (Rank r = 0; r < 8; ++r) costs[r] = Time{400};
  const Participants who = everybody(18, 0);
  EXPECT_EQ(initiation_time(spoc(costs, who), costs), Time{2000});
  EXPECT_EQ(initiation_time(fastest_node_first(costs, who), costs), Time{2000});
}

TEST(Spoc, OfEqualRanksInPlaceIsTheBinomialTree) {
  for (Rank count = 1; count <= 40; ++count) {
    const CommTree tree = spoc(Costs(count, Time{7}), everybody(count, 0));
    const CommTree shape = binomial(everybody(count, 0));
    EXPECT_EQ(tree.children(0).size(), shape.children(0).size());
    EXPECT_EQ(initiation_time(tree, Costs(count, Time{7})),
              initiation_time(shape, Costs(count, Time{7})));
  }
}

TEST(Spoc, RefusesCostsThatDoNotFitTheMachine) {
  EXPECT_THROW((void)spoc(Costs{{1}, {1}}, everybody(3, 2)), ContractViolation);
}

TEST(SpocProperty, HasTheShapeOfTheBinomialTree) {
  for_all_seeds(300, [](Random& rng) {
    const auto ranks = static_cast<Rank>(rng.between(1, 100));
    const Participants who = random_participants(rng, ranks);
    const Costs costs = random_costs(rng, ranks);
    const CommTree tree = spoc(costs, who);
    ASSERT_TRUE(spans(tree, who));
    const auto shape = [](const CommTree& t) {  // how many children, depth first
      std::vector<std::size_t> degrees;
      for (const Rank r : t.preorder()) degrees.push_back(t.children(r).size());
      return degrees;
    };
    ASSERT_EQ(shape(tree), shape(binomial(who)));
  });
}

TEST(SpocProperty, GivesFasterRanksMoreDescendants) {
  for_all_seeds(300, [](Random& rng) {
    const auto ranks = static_cast<Rank>(rng.between(2, 60));
    const Participants who = random_participants(rng, ranks);
    const Costs costs = random_costs(rng, ranks);
    const CommTree tree = spoc(costs, who);
    std::vector<Rank> descendants(ranks, 0);
    const std::vector<Rank> order = tree.preorder();
    for (auto r = order.rbegin(); *r != who.root; ++r) {
      descendants[tree.parent(*r)] += descendants[*r] + 1;
    }
    for (const Rank a : who.others) {
      for (const Rank b : who.others) {
        if (costs[a] >= costs[b]) continue;
        ASSERT_GE(descendants[a], descendants[b]);
      }
    }
  });
}

TEST(SpocProperty, IsTheSameTreeInWhateverOrderTheOthersAreNamed) {
  for_all_seeds(100, [](Random& rng) {
    const auto ranks = static_cast<Rank>(rng.between(2, 60));
    Participants who = everybody(ranks, static_cast<Rank>(rng.below(ranks)));
    const Costs costs = random_costs(rng, ranks);
    const CommTree one = spoc(costs, who);
    rng.shuffle(std::span(who.others));
    ASSERT_EQ(one, spoc(costs, who));
  });
}

// Section 6.4 of the paper: "where 50 % of the participating nodes (including the source node)
// belong to the fastest group of participating nodes, the trees ... will be identical".
TEST(SpocProperty, TakesAsLongAsFastestNodeFirstWhereHalfOfThemAreFast) {
  for_all_seeds(500, [](Random& rng) {
    const auto ranks = static_cast<Rank>(rng.between(2, 80));
    const Participants who = random_participants(rng, ranks);
    const auto fast = static_cast<Rank>(rng.between((who.count() + 1) / 2, who.count()));
    const Costs costs = two_classes(rng, who, fast);
    ASSERT_EQ(initiation_time(spoc(costs, who), costs),
              initiation_time(fastest_node_first(costs, who), costs));
  });
}

TEST(SpocProperty, IsFastestNodeFirstForAPowerOfTwoWhereHalfOfThemAreFast) {
  for_all_seeds(500, [](Random& rng) {
    const Rank ranks = 1U << rng.between(0, 7);
    Participants who = everybody(ranks, static_cast<Rank>(rng.below(ranks)));
    rng.shuffle(std::span(who.others));
    const auto fast = static_cast<Rank>(rng.between((ranks + 1) / 2, ranks));
    const Costs costs = two_classes(rng, who, fast);
    ASSERT_EQ(spoc(costs, who), fastest_node_first(costs, who));
  });
}

// Of six, one fast parent serves two in FNF and another none, which no binomial tree does.
TEST(Spoc, IsNotFastestNodeFirstForSixOfWhichThreeAreFast) {
  const Costs costs{{1}, {1}, {1}, {9}, {9}, {9}};
  const Participants who = everybody(6, 0);
  EXPECT_NE(spoc(costs, who), fastest_node_first(costs, who));
}

}  // namespace
}  // namespace espalier::tree
