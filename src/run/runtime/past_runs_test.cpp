#include "runtime/past_runs.hpp"

#include <gtest/gtest.h>

#include "runtime/account.hpp"

namespace espalier::runtime {
namespace {

TEST(PastRuns, TheLastRunOfAProgramIsExpectedAgain) {
  PastRuns runs;
  EXPECT_EQ(runs.expected("a"), 0);
  runs.note("a", 7);
  runs.note("b", 3);
  runs.note("a", 4);
  EXPECT_EQ(runs.expected("a"), 4);
  EXPECT_EQ(runs.expected("b"), 3);
}

TEST(PastRuns, LongRunsCountForTenSecondsSinceTheNextOneMayEndEarly) {
  PastRuns runs;
  runs.note("a", 3600);
  EXPECT_EQ(runs.expected("a"), PastRuns::kMost);
}

TEST(PastRuns, ARunThatIsNowShortIsForgotten) {
  PastRuns runs;
  runs.note("a", 5);
  runs.note("a", 0.4);
  EXPECT_EQ(runs.expected("a"), 0);
}

TEST(PastRuns, ManyProgramsDoNotGrowWithoutEnd) {
  PastRuns runs;
  for (int i = 0; i < 1000; ++i) runs.note(std::to_string(i), 2);
  EXPECT_LE(runs.all().size(), PastRuns::kMostPrograms);
  EXPECT_EQ(runs.expected("999"), 2);
}

TEST(PastRuns, AProgramOfFiveSecondsHasTimeForPlansFromItsSecondRunOn) {
  constexpr double kToJoin = 0.06;  // seconds, over a link of 10 ms
  PastRuns runs;
  runs.note("a", 5);
  EXPECT_FALSE(Account::pays_for(kToJoin, std::max(0.5, runs.expected("other")), 0.01));
  EXPECT_TRUE(Account::pays_for(kToJoin, std::max(0.5, runs.expected("a")), 0.01));
  EXPECT_FALSE(Account::pays_for(kToJoin, std::max(0.5, runs.expected("a")), 0.05));
}

}  // namespace
}  // namespace espalier::runtime
