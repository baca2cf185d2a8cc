#include "tree/local_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/for_all_seeds.hpp"
#include "support/random_blocks.hpp"
#include "support/random_trees.hpp"
#include "support/table_model.hpp"
#include "tree/shapes.hpp"
#include "tree/tree_time.hpp"

namespace espalier::tree {
namespace {

TEST(LocalSearchProperty, KeepsTheMembersIsNeverSlowerAndFindsTheSameAgain) {
  for_all_seeds(100, [](Random& rng) {
    const auto ranks = static_cast<Rank>(rng.between(1, 30));
    const TableModel model = random_table(rng, ranks);
    const Participants who = random_participants(rng, ranks);
    const std::vector<Bytes> bytes = random_blocks(rng, ranks, 50);
    const auto time = [&](const CommTree& tree) { return scatter_time(tree, model, bytes); };
    const CommTree start = random_tree(rng, who);
    const CommTree better = improved(start, time, {100, 3});
    ASSERT_TRUE(spans(better, who));
    ASSERT_LE(time(better), time(start));
    ASSERT_EQ(better, improved(start, time, {100, 3}));
  });
}

TEST(LocalSearchProperty, ComesCloseToTheOptimumOfSmallTrees) {
  std::uint64_t optimal = 0;
  const bool ran_all = for_all_seeds(30, [&](Random& rng) {
    const Rank ranks = 6;
    const TableModel model = random_table(rng, ranks);
    const std::vector<Bytes> bytes = random_blocks(rng, ranks, 30);
    const auto time = [&](const CommTree& tree) { return scatter_time(tree, model, bytes); };
    Participants who = everybody(ranks, 0);
    const Time found = time(improved(chain(who), time, {600, 1}));
    Time best = kForever;
    do {
      for_all_trees(who, [&](const CommTree& tree) { best = std::min(best, time(tree)); });
    } while (std::next_permutation(who.others.begin(), who.others.end()));
    ASSERT_GE(found, best);
    ASSERT_LE(found.picoseconds, best.picoseconds * 5 / 4);
    optimal += found == best ? 1 : 0;
  });
  if (ran_all) {
    EXPECT_GE(optimal, 20U);
  }
}

}  // namespace
}  // namespace espalier::tree
