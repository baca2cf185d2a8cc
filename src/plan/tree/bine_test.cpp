#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "support/table_model.hpp"
#include "tree/shapes.hpp"
#include "tree/tree_time.hpp"

namespace espalier::tree {
namespace {

using Ranks = std::vector<Rank>;

/// The number to the base -2, by long division.
std::uint32_t to_negabinary(std::int64_t n) {
  std::uint32_t digits = 0;
  for (int place = 0; n != 0; ++place) {
    const std::int64_t digit = n & 1;
    digits |= static_cast<std::uint32_t>(digit) << place;
    n = (n - digit) / -2;
  }
  return digits;
}

std::int64_t from_negabinary(std::uint32_t digits) {
  std::int64_t n = 0;
  for (int place = 31; place >= 0; --place) n = -2 * n + ((digits >> place) & 1);
  return n;
}

/// The paper's rule for P = 2^s: of the last s digits, turn over the longest run of equal ones at
/// the end.
Rank papers_parent(Rank position, int s) {
  const std::uint32_t digits = to_negabinary(position) & ((1U << s) - 1);
  int run = 1;
  while (run < s && ((digits >> run) & 1) == (digits & 1)) ++run;
  const auto count = std::int64_t{1} << s;
  const std::int64_t parent = from_negabinary(digits ^ ((1U << run) - 1));
  return static_cast<Rank>(((parent % count) + count) % count);
}

std::int64_t ring_distance(Rank a, Rank b, Rank count) {
  const Rank d = a > b ? a - b : b - a;
  return std::min(d, count - d);
}

std::int64_t total_distance(const CommTree& tree) {
  std::int64_t sum = 0;
  for (Rank r = 0; r < tree.size(); ++r) sum += ring_distance(r, tree.parent(r), tree.size());
  return sum;
}

TEST(Bine, IsTheDocumentedTreeOnEightRanks) {
  const CommTree tree = bine(everybody(8, 0));
  EXPECT_EQ(tree.children(0), (Ranks{3, 7, 1}));
  EXPECT_EQ(tree.children(3), (Ranks{4, 2}));
  EXPECT_EQ(tree.children(7), Ranks{6});
  EXPECT_EQ(tree.children(4), Ranks{5});
}

TEST(Bine, IsThePapersTreeForPowersOfTwo) {
  for (int s = 0; s <= 12; ++s) {
    const Rank count = 1U << s;
    const CommTree tree = bine(everybody(count, 0));
    for (Rank p = 1; p < count; ++p) ASSERT_EQ(tree.parent(p), papers_parent(p, s)) << "s=" << s;
  }
}

TEST(Bine, TakesAsManyRoundsAsTheBinomialTreeForEveryCount) {
  for (Rank count = 1; count <= 600; ++count) {
    const CommTree tree = bine(everybody(count, 0));
    const TableModel model(count, {.send = 1});
    ASSERT_EQ(tree.member_count(), count);
    ASSERT_EQ(broadcast_time(tree, model, Bytes{0}).picoseconds, std::bit_width(count - 1))
        << count;
  }
}

TEST(Bine, KeepsEverySubtreeContiguousOnTheRing) {
  for (Rank count = 1; count <= 150; ++count) {
    const CommTree tree = bine(everybody(count, 0));
    const Ranks order = tree.preorder();
    std::vector<std::vector<bool>> below(count, std::vector<bool>(count, false));
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      below[*it][*it] = true;
      for (Rank r = 0; r < count; ++r) {
        if (below[*it][r]) below[tree.parent(*it)][r] = true;
      }
    }
    for (Rank top = 0; top < count; ++top) {
      int starts = 0;
      for (Rank r = 0; r < count; ++r) {
        starts += below[top][(r + 1) % count] && !below[top][r] ? 1 : 0;
      }
      ASSERT_LE(starts, 1) << "P=" << count << " below " << top;
    }
  }
}

TEST(Bine, SendsNoFartherInAllThanTheBinomialTree) {
  for (Rank count = 1; count <= 1024; ++count) {
    ASSERT_LE(total_distance(bine(everybody(count, 0))),
              total_distance(binomial(everybody(count, 0))))
        << count;
  }
}

TEST(Bine, SavesNearlyAThirdOfTheBinomialTreesDistanceOnAThousandRanks) {
  EXPECT_EQ(total_distance(bine(everybody(1024, 0))), 3527);
  EXPECT_EQ(total_distance(binomial(everybody(1024, 0))), 5120);
  EXPECT_EQ(total_distance(bine(everybody(1000, 0))), 3479);
  EXPECT_EQ(total_distance(binomial(everybody(1000, 0))), 5028);
}

TEST(Bine, SendsItsLongestMessageAThirdOfTheRingWhereTheBinomialTreeSendsItHalf) {
  const CommTree tree = bine(everybody(1024, 0));
  EXPECT_EQ(ring_distance(0, tree.first_child(0), 1024), 341);
  EXPECT_EQ(ring_distance(0, binomial(everybody(1024, 0)).first_child(0), 1024), 512);
}

}  // namespace
}  // namespace espalier::tree
