#include <gtest/gtest.h>

#include "support/for_all_seeds.hpp"
#include "support/random_blocks.hpp"
#include "support/random_trees.hpp"
#include "tree/irregular.hpp"
#include "tree/shapes.hpp"

namespace espalier::tree {
namespace {

using Sizes = std::vector<Bytes>;

TEST(BoundedBundles, HandsTheLongestOverToTheParent) {
  const Sizes bytes{{0}, {1}, {10}, {100}};
  const CommTree tree = with_bounded_bundles(chain(everybody(4, 0)), bytes, Bytes{10});
  EXPECT_EQ(tree.children(0), (std::vector<Rank>{1, 3}));
  EXPECT_EQ(tree.children(1), (std::vector<Rank>{2}));
  EXPECT_EQ(largest_bundle(chain(everybody(4, 0)), bytes), Bytes{110});
}

TEST(BoundedBundlesProperty, KeepsToTheLimitAndToTheTreeWhereItDoesAlready) {
  for_all_seeds(500, [](Random& rng) {
    const auto ranks = static_cast<Rank>(rng.between(1, 60));
    const Participants who = random_participants(rng, ranks);
    const CommTree tree = random_tree(rng, who);
    const Sizes bytes = random_blocks(rng, ranks, 1000);
    const Bytes limit{rng.below(3000)};
    const CommTree bounded = with_bounded_bundles(tree, bytes, limit);
    ASSERT_TRUE(spans(bounded, who));
    ASSERT_LE(largest_bundle(bounded, bytes), limit);
    const bool fits = largest_bundle(tree, bytes) <= limit;
    ASSERT_TRUE(!fits || bounded == tree);
  });
}

}  // namespace
}  // namespace espalier::tree
