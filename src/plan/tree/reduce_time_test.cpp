#include <gtest/gtest.h>

#include <algorithm>

#include "base/contract.hpp"
#include "model/cost_model.hpp"
#include "model/time_reversed.hpp"
#include "support/for_all_seeds.hpp"
#include "support/random_trees.hpp"
#include "support/table_model.hpp"
#include "tree/comm_tree.hpp"
#include "tree/initiation_trees.hpp"
#include "tree/shapes.hpp"
#include "tree/tree_time.hpp"

namespace espalier::tree {
namespace {

using Costs = std::vector<Time>;

/// A message costs its receiver alone.
TableModel receiving_costs(const Costs& recv_cost) {
  const auto ranks = static_cast<Rank>(recv_cost.size());
  TableModel model(ranks);
  for (Rank i = 0; i < ranks; ++i) {
    for (Rank j = 0; j < ranks; ++j) model.link(i, j).receive = recv_cost[j].picoseconds;
  }
  return model;
}

TEST(ReduceTime, OfAFlatTreeIsOneReceiveAndOneCombinationForEachChild) {
  const TableModel model = receiving_costs(Costs(8, Time{10}));
  const CommTree tree = flat(everybody(8, 0));
  EXPECT_EQ(reduce_time(tree, model, Bytes{0}), Time{70});
  EXPECT_EQ(reduce_time(tree, model, Bytes{0}, Costs(8, Time{3})), Time{91});
  EXPECT_EQ(reduce_time(binomial(everybody(8, 0)), model, Bytes{0}, Costs(8, Time{3})), Time{39});
}

TEST(ReduceTime, LetsTheParentWaitForALateChild) {
  TableModel model(3, {.send = 1, .wire = 2, .receive = 4});
  model.link(2, 0).wire = 100;
  const CommTree tree = flat(everybody(3, 0));
  // Rank 2 was served last, so it is received first, and rank 1 waits for it.
  EXPECT_EQ(reduce_time(tree, model, Bytes{0}), Time{109});
  EXPECT_EQ(reduce_time(mirrored(tree), model, Bytes{0}), Time{105});
}

TEST(ReduceTime, IsForeverOutsideTheTree) {
  const TableModel model(4, {.send = 1});
  const auto times = reduce_times(flat(multicast(4, 0, std::vector<Rank>{2})), model, Bytes{0});
  EXPECT_EQ(times, (std::vector<Time>{Time{1}, kForever, Time{0}, kForever}));
}

TEST(ReduceTime, RefusesCostsThatDoNotFitTheTree) {
  const TableModel model(3);
  EXPECT_THROW((void)reduce_time(flat(everybody(3, 0)), model, Bytes{0}, Costs(2)),
               ContractViolation);
  EXPECT_THROW((void)reduce_time(flat(everybody(4, 0)), model, Bytes{0}), ContractViolation);
}

TEST(Mirrored, ReversesEveryRanksChildrenAndUndoesItself) {
  const CommTree tree = binomial(everybody(8, 0));
  EXPECT_EQ(mirrored(tree).children(0), (std::vector<Rank>{1, 2, 4}));
  EXPECT_EQ(mirrored(tree).children(4), (std::vector<Rank>{5, 6}));
  EXPECT_EQ(mirrored(mirrored(tree)), tree);
}

TEST(ReduceTimeProperty, BackwardsInTimeIsTheBroadcast) {
  for_all_seeds(500, [](Random& rng) {
    const auto ranks = static_cast<Rank>(rng.between(1, 40));
    const TableModel model = random_table(rng, ranks);
    const CommTree tree = random_tree(rng, random_participants(rng, ranks));
    const Bytes size{rng.below(50)};
    ASSERT_EQ(reduce_time(tree, model::TimeReversed(model), size),
              broadcast_time(tree, model, size));
    ASSERT_EQ(reduce_time(tree, model, size),
              broadcast_time(tree, model::TimeReversed(model), size));
  });
}

TEST(ReductionTree, TakesTheBroadcastsFourHundredInThePapersExampleBackwards) {
  const Costs recv{{60}, {200}, {200}, {200}, {200}, {60}, {200}, {200}};
  const Costs combine{{40}, {100}, {100}, {100}, {100}, {40}, {100}, {100}};
  const CommTree tree = speed_aware_reduction_tree(recv, combine, everybody(8, 0));
  EXPECT_EQ(reduce_time(tree, receiving_costs(recv), Bytes{0}, combine), Time{400});
}

// FNF's bound, mirrored: S. Khuller, Y.-A. Kim, "Broadcasting in heterogeneous networks",
// Algorithmica 2007.
TEST(ReductionTreeProperty, StaysWithinThreeHalvesOfTheBestTree) {
  for_all_seeds(60, [](Random& rng) {
    const auto ranks = static_cast<Rank>(rng.between(1, 5));
    const Costs recv = random_times(rng, ranks, 1, 20);
    const Costs combine = random_times(rng, ranks, 0, 20);
    const TableModel model = receiving_costs(recv);
    Participants who = everybody(ranks, 0);
    const Time ours =
        reduce_time(speed_aware_reduction_tree(recv, combine, who), model, Bytes{0}, combine);
    Time best = kForever;
    do {
      for_all_trees(who, [&](const CommTree& tree) {
        best = std::min(best, reduce_time(tree, model, Bytes{0}, combine));
      });
    } while (std::next_permutation(who.others.begin(), who.others.end()));
    ASSERT_LE(2 * ours, 3 * best);
  });
}

TEST(ReductionTreeProperty, BeatsTheBinomialTreeInTheMean) {
  Time ours, binomials;
  const bool ran_all = for_all_seeds(100, [&](Random& rng) {
    const Costs recv = random_times(rng, 40, 10, 80);
    const TableModel model = receiving_costs(recv);
    const Participants who = everybody(40, static_cast<Rank>(rng.below(40)));
    ours += reduce_time(speed_aware_reduction_tree(recv, {}, who), model, Bytes{0});
    binomials += reduce_time(binomial(who), model, Bytes{0});
  });
  if (ran_all) {
    EXPECT_LT(ours, binomials);
  }
}

}  // namespace
}  // namespace espalier::tree
