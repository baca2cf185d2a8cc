#include "cli/rank_list.hpp"

#include <gtest/gtest.h>

#include <algorithm>

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

TEST(ParseRankNumbers, ReadsNumbersAndRangesAndLetsThemRise) {
  EXPECT_EQ(*parse_rank_numbers("8,2,4-6", 8), (Ranks{2, 4, 5, 6, 8}));
  EXPECT_EQ(*parse_rank_numbers(" 2 - 3 , 7", 7), (Ranks{2, 3, 7}));
  EXPECT_EQ(*parse_rank_numbers("2", 2), (Ranks{2}));
}

TEST(ParseRankNumbers, SaysWhatIsWrong) {
  const auto what = [](std::string_view text) { return parse_rank_numbers(text, 8).error().what; };
  EXPECT_EQ(what("9"), "the machine has 8 ranks, not 9");
  EXPECT_EQ(what("4-9"), "the machine has 8 ranks, not 9");
  EXPECT_EQ(what("99999999999999999999"), "the machine has 8 ranks, not 99999999999999999999");
  EXPECT_EQ(what("1"), "1 in a list of numbers of ranks: two are the fewest");
  EXPECT_EQ(what("0-4"), "0 in a list of numbers of ranks: two are the fewest");
  EXPECT_EQ(what("2,four"), "\"four\" is not a number of ranks");
  EXPECT_EQ(what("2.5"), "\"2.5\" is not a number of ranks");
  EXPECT_EQ(what("-4"), "\"\" is not a number of ranks");
  EXPECT_EQ(what("4,4"), "4 stands twice in the list");
  EXPECT_EQ(what("2-5,3"), "3 stands twice in the list");
  EXPECT_EQ(what("6-4"), "the range 6-4 runs backwards");
  EXPECT_EQ(what("4,"), "an empty place in the list of numbers of ranks");
  EXPECT_EQ(parse_rank_numbers("x", 8).error().hint,
            "write numbers from 2 to 8, and ranges, such as 2,4 or 2-4");
}

TEST(ParseRank, RefusesWhatIsNoRankOfTheMachine) {
  EXPECT_EQ(*parse_rank("0", 1), 0u);
  EXPECT_EQ(parse_rank("1", 1).error().what, "rank 1 is not in the machine, which has rank 0 only");
  EXPECT_EQ(parse_rank("1.5", 4).error().what, "\"1.5\" is not a rank");
  EXPECT_EQ(parse_rank("+1", 4).error().what, "\"+1\" is not a rank");
}

}  // namespace

namespace {

using Times = std::vector<Time>;

TEST(ParseSkew, TakesRanksAndRanges) {
  EXPECT_EQ(*parse_skew("5ms@1", 3), (Times{Time{0}, milliseconds(5), Time{0}}));
  EXPECT_EQ(*parse_skew("1us@0,2 ns@2-3", 4),
            (Times{microseconds(1), Time{0}, nanoseconds(2), nanoseconds(2)}));
  EXPECT_TRUE(parse_skew("", 3)->empty());
}

TEST(ParseSkew, SpreadsRandomLatenessWithinItsLimitFromItsSeed) {
  const Times a = *parse_skew("random:2ms:7", 1000);
  EXPECT_EQ(a, *parse_skew("random:2ms:7", 1000));
  EXPECT_NE(a, *parse_skew("random:2ms:8", 1000));
  EXPECT_LE(*std::max_element(a.begin(), a.end()), milliseconds(2));
  EXPECT_GT(*std::max_element(a.begin(), a.end()), microseconds(1900));
  EXPECT_LT(*std::min_element(a.begin(), a.end()), microseconds(100));
}

TEST(ParseSkew, SaysWhatIsWrong) {
  const auto what = [](std::string_view text) { return parse_skew(text, 8).error().what; };
  EXPECT_EQ(what("5ms"), "\"5ms\" does not say which rank is late");
  EXPECT_EQ(what("5ms@3,"), "\"\" does not say which rank is late");
  EXPECT_EQ(what("5ms@8"), "rank 8 is not in the machine, which has ranks 0 to 7");
  EXPECT_EQ(what("5ms@1-3,1ms@2"), "rank 2 stands twice");
  EXPECT_EQ(what("random:2ms"), "\"random:2ms\" has no seed");
  EXPECT_EQ(what("random:2ms:x"), "the seed \"x\" is no number below 2^64");
  EXPECT_EQ(what("random:2ms:"), "the seed \"\" is no number below 2^64");
  for (const char* text : {"@3", "5@3", "-5ms@3", "5 parsecs@3", "random::1"}) {
    const auto skew = parse_skew(text, 8);
    ASSERT_FALSE(skew) << text;
    EXPECT_NE(skew.error().what.find("not a time"), std::string::npos) << skew.error().what;
    EXPECT_NE(skew.error().hint.find("5ms@3"), std::string::npos) << skew.error().hint;
  }
}

}  // namespace

}  // namespace espalier::cli
