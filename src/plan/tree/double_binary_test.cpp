#include "tree/double_binary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>

#include "support/random_trees.hpp"

namespace espalier::tree {
namespace {

using Ranks = std::vector<Rank>;

TEST(DoubleBinary, IsTheDocumentedPairOnEightRanks) {
  const DoubleTree trees = double_binary(everybody(8, 0));
  EXPECT_EQ(trees.first.children(0), Ranks{4});
  EXPECT_EQ(trees.first.children(4), (Ranks{2, 6}));
  EXPECT_EQ(trees.first.children(2), (Ranks{1, 3}));
  EXPECT_EQ(trees.first.children(6), (Ranks{5, 7}));
  EXPECT_EQ(trees.second.children(0), Ranks{3});
  EXPECT_EQ(trees.second.children(3), (Ranks{1, 5}));
  EXPECT_EQ(trees.second.children(1), (Ranks{7, 2}));
  EXPECT_EQ(trees.second.children(5), (Ranks{4, 6}));
}

TEST(DoubleBinary, SpansWithLogarithmicHeightAndNobodyButTheRootSendsInBoth) {
  for (Rank count = 1; count <= 300; ++count) {
    const Participants who = everybody(count, count / 3);
    const DoubleTree trees = double_binary(who);
    ASSERT_TRUE(spans(trees.first, who) && spans(trees.second, who)) << count;
    ASSERT_LE(trees.first.height(), static_cast<Rank>(std::bit_width(count - 1))) << count;
    ASSERT_LE(trees.second.height(), static_cast<Rank>(std::bit_width(count - 1))) << count;
    for (const Rank r : who.others) {
      const auto first = trees.first.children(r).size();
      const auto second = trees.second.children(r).size();
      ASSERT_TRUE(first == 0 || second == 0) << "P=" << count << " rank " << r;
      ASSERT_LE(std::max(first, second), 2U) << "P=" << count << " rank " << r;
    }
  }
}

TEST(DoubleBinary, TwoStepsLetNobodySendOrReceiveTwiceAtOnce) {
  for (Rank count = 1; count <= 300; ++count) {
    const Participants who = everybody(count, count / 2);
    const DoubleTree trees = double_binary(who);
    const std::vector<std::uint8_t> step = two_colouring(trees);
    std::set<std::pair<Rank, int>> sends;
    std::set<std::pair<Rank, int>> receives;
    for (const Rank r : who.others) {
      ASSERT_LE(step[r], 1);
      for (const auto& [tree, when] :
           {std::pair{&trees.first, int{step[r]}}, std::pair{&trees.second, 1 - int{step[r]}}}) {
        ASSERT_TRUE(receives.emplace(r, when).second) << "P=" << count << " rank " << r;
        ASSERT_TRUE(sends.emplace(tree->parent(r), when).second)
            << "P=" << count << " rank " << tree->parent(r);
      }
    }
  }
}

TEST(DoubleBinary, WorksForAMulticast) {
  const Participants who = multicast(20, 9, Ranks{3, 17, 4, 11, 0});
  const DoubleTree trees = double_binary(who);
  EXPECT_TRUE(spans(trees.first, who));
  EXPECT_TRUE(spans(trees.second, who));
  EXPECT_EQ(trees, double_binary(who));
}

}  // namespace
}  // namespace espalier::tree
