// The trees that look at nothing but the number of participants.
#include "tree/shapes.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "base/contract.hpp"
#include "support/table_model.hpp"
#include "tree/tree_time.hpp"

namespace espalier::tree {
namespace {

using Ranks = std::vector<Rank>;

/// How many sends of equal length follow one another until the last rank has the message.
Rank rounds(const CommTree& tree) {
  const TableModel model(tree.size(), {.send = 1});
  return static_cast<Rank>(broadcast_time(tree, model, Bytes{0}).picoseconds);
}

Rank ceil_log2(Rank n) { return static_cast<Rank>(std::bit_width(n - 1)); }

TEST(Flat, SendsFromTheRootInTheGivenOrder) {
  const CommTree tree = flat(multicast(9, 5, Ranks{7, 2, 8}));
  EXPECT_EQ(tree.children(5), (Ranks{7, 2, 8}));
  EXPECT_EQ(tree.height(), 1U);
}

TEST(Chain, PassesTheMessageOnInTheGivenOrder) {
  const CommTree tree = chain(multicast(9, 5, Ranks{7, 2, 8}));
  EXPECT_EQ(tree.preorder(), (Ranks{5, 7, 2, 8}));
  EXPECT_EQ(tree.height(), 3U);
}

TEST(Binomial, IsMpichsTreeOnEightRanks) {
  const CommTree tree = binomial(everybody(8, 0));
  EXPECT_EQ(tree.children(0), (Ranks{4, 2, 1}));
  EXPECT_EQ(tree.children(4), (Ranks{6, 5}));
  EXPECT_EQ(tree.children(2), Ranks{3});
  EXPECT_EQ(tree.children(6), Ranks{7});
}

TEST(Binomial, NumbersFromTheRootUpwardsAndAround) {
  const CommTree tree = binomial(everybody(6, 4));
  EXPECT_EQ(tree.children(4), (Ranks{2, 0, 5}));  // positions 4, 2, 1
  EXPECT_EQ(tree.children(0), Ranks{1});
  EXPECT_EQ(tree.children(2), Ranks{3});
}

TEST(Binomial, HasLogarithmicHeightAndRoundsForEveryCount) {
  for (Rank count = 1; count <= 300; ++count) {
    const CommTree tree = binomial(everybody(count, 0));
    ASSERT_EQ(tree.height(), static_cast<Rank>(std::bit_width(count)) - 1) << count;
    ASSERT_EQ(tree.children(0).size(), ceil_log2(count)) << count;
    ASSERT_EQ(rounds(tree), ceil_log2(count)) << count;
  }
}

TEST(Knomial, WithRadixThreeOnNineRanksIsTheDocumentedTree) {
  const CommTree tree = knomial(everybody(9, 0), 3);
  EXPECT_EQ(tree.children(0), (Ranks{3, 6, 1, 2}));
  EXPECT_EQ(tree.children(3), (Ranks{4, 5}));
  EXPECT_EQ(tree.children(6), (Ranks{7, 8}));
}

TEST(Knomial, WithRadixTwoIsBinomial) {
  for (Rank count = 1; count <= 70; ++count) {
    ASSERT_EQ(knomial(everybody(count, 0), 2), binomial(everybody(count, 0))) << count;
  }
}

TEST(Knomial, WithARadixBeyondTheCountIsFlat) {
  EXPECT_EQ(knomial(everybody(9, 3), 9), flat(everybody(9, 3)));
  EXPECT_EQ(knomial(everybody(9, 3), 4'000'000'000U), flat(everybody(9, 3)));
}

TEST(Knomial, DropsTheLowestDigitOnTheWayUpAndHasTheDocumentedHeight) {
  for (const Rank k : {2U, 3U, 4U, 7U}) {
    for (Rank count = 1; count <= 300; ++count) {
      const CommTree tree = knomial(everybody(count, 0), k);
      for (Rank p = 1; p < count; ++p) {
        Rank weight = 1;
        while (p / weight % k == 0) weight *= k;
        ASSERT_EQ(tree.parent(p), p - p / weight % k * weight) << "k=" << k << " p=" << p;
      }
      Rank height = 0;
      for (Rank repunit = 1; repunit < count; repunit = repunit * k + 1) ++height;
      ASSERT_EQ(tree.height(), height) << "k=" << k << " P=" << count;
    }
  }
}

TEST(Knomial, RefusesARadixBelowTwo) {
  EXPECT_THROW((void)knomial(everybody(4, 0), 1), ContractViolation);
}

TEST(Kary, FillsLevelByLevel) {
  const CommTree tree = kary(everybody(9, 0), 3);
  EXPECT_EQ(tree.children(0), (Ranks{1, 2, 3}));
  EXPECT_EQ(tree.children(1), (Ranks{4, 5, 6}));
  EXPECT_EQ(tree.children(2), (Ranks{7, 8}));
}

TEST(Kary, WithOneChildEachIsTheChain) {
  EXPECT_EQ(kary(everybody(9, 4), 1), chain(everybody(9, 4)));
}

TEST(Kary, HasAtMostKChildrenEachAndTheDocumentedHeight) {
  for (const Rank k : {1U, 2U, 3U, 4U, 7U}) {
    for (Rank count = 1; count <= 300; ++count) {
      const CommTree tree = kary(everybody(count, 0), k);
      for (Rank p = 0; p < count; ++p) ASSERT_LE(tree.children(p).size(), k);
      Rank height = 0;
      for (std::uint64_t level = 1, full = 1; full < count; full += level *= k) ++height;
      ASSERT_EQ(tree.height(), height) << "k=" << k << " P=" << count;
    }
  }
}

TEST(Kary, RefusesNoChildren) { EXPECT_THROW((void)kary(everybody(4, 0), 0), ContractViolation); }

}  // namespace
}  // namespace espalier::tree
