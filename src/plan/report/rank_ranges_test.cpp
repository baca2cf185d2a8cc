#include "report/rank_ranges.hpp"

#include <gtest/gtest.h>

namespace espalier::report {
namespace {

TEST(RankRanges, JoinsNeighbours) {
  EXPECT_EQ(rank_ranges({}), "");
  EXPECT_EQ(rank_ranges({7}), "7");
  EXPECT_EQ(rank_ranges({0, 1, 2, 8}), "0-2,8");
}

TEST(RankRanges, NamesTheStepOfACyclicPlacement) {
  EXPECT_EQ(rank_ranges({1, 9, 17, 25}), "1-25 step 8");
  EXPECT_EQ(rank_ranges({1, 9}), "1,9");
}

TEST(RankRanges, StopsAfterSoManyPieces) {
  EXPECT_EQ(rank_ranges({0, 2, 3, 7, 9, 20}, 3), "0,2-3,7,…");
  EXPECT_EQ(rank_ranges({0, 2, 3, 7}, 3), "0,2-3,7");
}

}  // namespace
}  // namespace espalier::report
