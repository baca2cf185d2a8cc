#include <gtest/gtest.h>

#include <algorithm>

#include "support/broadcast_oracles.hpp"
#include "support/for_all_seeds.hpp"
#include "support/random_trees.hpp"
#include "tree/initiation_trees.hpp"
#include "tree/tree_time.hpp"

namespace espalier::tree {
namespace {

using Costs = std::vector<Time>;

TEST(FasterParents, ChangesPlacesOfASlowParentAndItsFastChild) {
  const Costs costs{{5}, {9}, {1}, {7}, {10}};
  CommTree chain(5, 0);  // 0 - 1 - 3, 2, 4 and below 2 nobody
  chain.append_child(0, 1);
  chain.append_child(1, 3);
  chain.append_child(1, 2);
  chain.append_child(1, 4);
  const CommTree better = with_faster_parents(chain, costs);
  EXPECT_EQ(better.children(0), std::vector<Rank>{2});
  EXPECT_EQ(better.children(2), (std::vector<Rank>{3, 1}));
  EXPECT_EQ(better.children(1), std::vector<Rank>{4});
  EXPECT_EQ(initiation_time(chain, costs), Time{32});
  EXPECT_EQ(initiation_time(better, costs), Time{16});
}

TEST(FasterParents, LeavesTheRootInPlaceHoweverSlow) {
  const Costs costs{{50}, {9}, {1}};
  CommTree chain(3, 0);
  chain.append_child(0, 2);
  chain.append_child(2, 1);
  EXPECT_EQ(with_faster_parents(chain, costs), chain);
}

std::vector<Time> arrivals(const CommTree& tree, const Costs& costs) {
  std::vector<Time> times;
  std::vector<Time> has_it(tree.size());
  for (const Rank r : tree.preorder()) {
    Time sent = has_it[r];
    for (const Rank c : tree.children(r)) times.push_back(has_it[c] = sent += costs[r]);
  }
  std::sort(times.begin(), times.end());
  return times;
}

TEST(FasterParentsProperty, ServesNobodyLaterAndHoldsLemma2) {
  for_all_seeds(2000, [](Random& rng) {
    const auto ranks = static_cast<Rank>(rng.between(1, 30));
    const Participants who = random_participants(rng, ranks);
    const Costs costs = random_costs(rng, ranks);
    const CommTree tree = random_tree(rng, who);
    const CommTree better = with_faster_parents(tree, costs);
    ASSERT_TRUE(spans(better, who));
    ASSERT_TRUE(has_faster_parents(better, costs));
    const std::vector<Time> before = arrivals(tree, costs);
    const std::vector<Time> after = arrivals(better, costs);
    for (std::size_t i = 0; i < before.size(); ++i) ASSERT_LE(after[i], before[i]);
  });
}

TEST(FasterParentsProperty, HoldsForFastestNodeFirstWithoutAnyChange) {
  for_all_seeds(300, [](Random& rng) {
    const auto ranks = static_cast<Rank>(rng.between(1, 50));
    const Participants who = random_participants(rng, ranks);
    const Costs costs = random_costs(rng, ranks);
    const CommTree tree = fastest_node_first(costs, who);
    ASSERT_EQ(with_faster_parents(tree, costs), tree);
  });
}

}  // namespace
}  // namespace espalier::tree
