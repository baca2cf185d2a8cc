#include "cli/rank_list.hpp"

#include <gtest/gtest.h>

namespace espalier::cli {
namespace {

using Ranks = std::vector<Rank>;

TEST(ParseRankList, ReadsRanksAndRangesInTheirOrder) {
  EXPECT_EQ(*parse_rank_list("1,3,5-7", 8), (Ranks{1, 3, 5, 6, 7}));
  EXPECT_EQ(*parse_rank_list("7, 0 - 2", 8), (Ranks{7, 0, 1, 2}));
  EXPECT_EQ(*parse_rank_list("4", 8), (Ranks{4}));
}

TEST(ParseRankList, SaysWhatIsWrong) {
  const auto what = [](std::string_view text) { return parse_rank_list(text, 8).error().what; };
  EXPECT_EQ(what("8"), "rank 8 is not in the machine, which has ranks 0 to 7");
  EXPECT_EQ(what("99999999999999999999"),
            "rank 99999999999999999999 is not in the machine, which has ranks 0 to 7");
  EXPECT_EQ(what("1,x"), "\"x\" is not a rank");
  EXPECT_EQ(what("-1"), "\"\" is not a rank");
  EXPECT_EQ(what("1,,2"), "an empty place in the list of ranks");
  EXPECT_EQ(what(""), "an empty place in the list of ranks");
  EXPECT_EQ(what("1,"), "an empty place in the list of ranks");
  EXPECT_EQ(what("5-3"), "the range 5-3 runs backwards");
  EXPECT_EQ(what("1-3,2"), "rank 2 stands twice in the list");
  EXPECT_EQ(what("1-2-3"), "\"2-3\" is not a rank");
}

TEST(ParseRank, RefusesWhatIsNoRankOfTheMachine) {
  EXPECT_EQ(*parse_rank("0", 1), 0u);
  EXPECT_EQ(parse_rank("1", 1).error().what, "rank 1 is not in the machine, which has rank 0 only");
  EXPECT_EQ(parse_rank("1.5", 4).error().what, "\"1.5\" is not a rank");
  EXPECT_EQ(parse_rank("+1", 4).error().what, "\"+1\" is not a rank");
}

}  // namespace
}  // namespace espalier::cli
