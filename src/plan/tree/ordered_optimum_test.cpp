#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/contract.hpp"
#include "model/pair_models.hpp"
#include "support/for_all_seeds.hpp"
#include "support/random_blocks.hpp"
#include "support/random_trees.hpp"
#include "tree/irregular_trees.hpp"
#include "tree/tree_time.hpp"

namespace espalier::tree {
namespace {

using Sizes = std::vector<Bytes>;

/// Times of each pair alone, both ends busy throughout.
model::PairHockney random_pairs(Random& rng, Rank ranks) {
  model::PairMatrix<Time> alpha(ranks);
  model::PairMatrix<Bandwidth> rate(ranks);
  for (Rank i = 0; i < ranks; ++i) {
    for (Rank j = 0; j < ranks; ++j) {
      alpha(i, j) = Time{rng.between(0, 2000)};
      rate(i, j) = bits_per_second(8'000'000'000'000ULL / (1 + rng.below(9)));
    }
  }
  return {alpha, rate};
}

std::set<Rank> below(const CommTree& tree, Rank top) {
  std::set<Rank> all{top};
  for (const Rank c : tree.children(top)) all.merge(below(tree, c));
  return all;
}

bool is_run(const std::set<Rank>& ranks) {
  return *ranks.rbegin() - *ranks.begin() + 1 == ranks.size();
}

/// Every rank holds a run, and still does after each message.
bool is_ordered(const CommTree& tree) {
  for (const Rank r : tree.preorder()) {
    std::set<Rank> holds = below(tree, r);
    if (!is_run(holds)) return false;
    for (const Rank c : tree.children(r)) {
      for (const Rank gone : below(tree, c)) holds.erase(gone);
      if (!is_run(holds)) return false;
    }
  }
  return true;
}

TEST(OrderedOptimumProperty, IsTheBestOfAllOrderedTrees) {
  for_all_seeds(40, [](Random& rng) {
    const auto ranks = static_cast<Rank>(rng.between(1, 6));
    const model::PairHockney model = random_pairs(rng, ranks);
    Sizes bytes(ranks);
    for (Bytes& b : bytes) b.value = 1 + rng.below(500);
    Participants who = everybody(ranks, static_cast<Rank>(rng.below(ranks)));
    const OrderedOptimum found = ordered_optimum({who, bytes, model});
    ASSERT_TRUE(spans(found.tree, who));
    ASSERT_TRUE(is_ordered(found.tree));
    ASSERT_EQ(scatter_time(found.tree, model, bytes), found.time);
    Time best = kForever;
    std::sort(who.others.begin(), who.others.end());
    do {
      for_all_trees(who, [&](const CommTree& tree) {
        const Time time = scatter_time(tree, model, bytes);
        if (time < best && is_ordered(tree)) best = time;
      });
    } while (std::next_permutation(who.others.begin(), who.others.end()));
    ASSERT_EQ(found.time, best);
  });
}

TEST(OrderedOptimumProperty, IsNeverSlowerThanTheDistributedTree) {
  for_all_seeds(60, [](Random& rng) {
    const auto ranks = static_cast<Rank>(rng.between(2, 24));
    const model::Hockney model(ranks, Time{rng.between(0, 3000)},
                               bits_per_second(8'000'000'000'000));
    Sizes bytes = random_blocks(rng, ranks, 2000);
    for (Bytes& b : bytes) ++b.value;
    const auto root = static_cast<Rank>(rng.below(ranks));
    const Participants who = everybody(ranks, root);
    ASSERT_LE(ordered_optimum({who, bytes, model}).time,
              scatter_time(traeff_distributed(bytes, root), model, bytes));
  });
}

TEST(OrderedOptimum, RefusesMoreRanksThanItsTableTakes) {
  const model::Hockney model(200, Time{1}, kUnlimited);
  const Participants who = everybody(200, 0);
  EXPECT_THROW((void)ordered_optimum({who, Sizes(200), model}), ContractViolation);
}

}  // namespace
}  // namespace espalier::tree
