#include "league/standings.hpp"

#include <gtest/gtest.h>

#include "league/tables.hpp"

namespace espalier::league {
namespace {

using schedule::Operation;

const std::vector<Contender> kContenders{
    ours(),
    {"ompi", ContenderKind::Selector, {}},
    {"mpich", ContenderKind::Selector, {}},
    {"bcast:NTSL", ContenderKind::Single, Operation::Broadcast}};

Result result(std::uint64_t bytes, const std::string& contender, double time,
              ResultState state = ResultState::Right, const std::string& machine = "m") {
  return {{machine, "block", Operation::Broadcast, bytes}, contender, state, time, "", ""};
}

std::vector<EventResults> lines(const std::vector<Result>& results) {
  return results_by_event(results, kContenders, [](const LeagueEvent&) { return 10.0; });
}

TEST(Lines, CompareWithTheBestThatIsRight) {
  const auto all = lines({result(8, "espalier", 20), result(8, "ompi", 5, ResultState::Wrong),
                          result(8, "mpich", 40), result(8, "bcast:NTSL", 16)});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].selector->contender, "mpich");
  EXPECT_EQ(*all[0].to_selector(), 0.5);
  EXPECT_EQ(*all[0].to_any(), 1.25);
  EXPECT_EQ(*all[0].to_bound(), 2.0);
  EXPECT_FALSE(is_loss(all[0]));
}

TEST(Lines, CountNoWinAgainstThoseThatFail) {
  const auto all = lines({result(8, "espalier", 20), result(8, "ompi", 0, ResultState::Failed),
                          result(8, "mpich", 900, ResultState::Wrong)});
  EXPECT_FALSE(all[0].to_selector().has_value());
  const Standing standing = standing_of(all, "m");
  EXPECT_TRUE(standing.gains.empty());
  EXPECT_EQ(standing.losses, 0U);
}

TEST(Lines, CountWrongDataOfOursAsALoss) {
  EXPECT_TRUE(
      is_loss(lines({result(8, "espalier", 1, ResultState::Wrong), result(8, "ompi", 9)})[0]));
  EXPECT_TRUE(is_loss(lines({result(8, "espalier", 0, ResultState::Failed)})[0]));
  EXPECT_TRUE(
      is_loss(lines({result(8, "espalier", 0, ResultState::TooLong), result(8, "ompi", 9)})[0]));
}

TEST(Standings, AnEventThatNobodyEndsInTimeIsNotCounted) {
  const std::vector<EventResults> all = lines({result(8, "espalier", 0, ResultState::TooLong),
                                               result(8, "ompi", 0, ResultState::TooLong),
                                               result(64, "espalier", 1), result(64, "ompi", 2)});
  EXPECT_TRUE(is_undecided(all[0]));
  EXPECT_FALSE(is_loss(all[0]));
  EXPECT_FALSE(is_undecided(all[1]));
  EXPECT_EQ(standing_of(all, "all").events, 1U);
}

TEST(Lines, AreLostFromThreePercentOn) {
  EXPECT_FALSE(is_loss(lines({result(8, "espalier", 102.9), result(8, "ompi", 100)})[0]));
  EXPECT_TRUE(is_loss(lines({result(8, "espalier", 103.1), result(8, "ompi", 100)})[0]));
}

TEST(Standings, TakeTheGeometricMeanOverEachSelectorByItself) {
  // ompi: 4 x and 1 x, so 2; mpich: 3 x in the only event where it is right.
  const auto all = lines({result(8, "espalier", 10), result(8, "ompi", 40), result(8, "mpich", 30),
                          result(16, "espalier", 10), result(16, "ompi", 10),
                          result(16, "mpich", 1, ResultState::Wrong)});
  const Standing standing = standing_of(all, "m");
  ASSERT_EQ(standing.gains.size(), 2U);
  EXPECT_EQ(standing.gains[0].contender, "ompi");
  EXPECT_NEAR(standing.gains[0].factor, 2, 1e-12);
  EXPECT_EQ(standing.gains[1].events, 1U);
  EXPECT_NEAR(standing.gains[1].factor, 3, 1e-12);
  EXPECT_EQ(standing.worst, 1.0);
}

TEST(Standings, AreOneForEachMachine) {
  const auto all = lines({result(8, "espalier", 10, ResultState::Right, "a"),
                          result(16, "espalier", 10, ResultState::Right, "a"),
                          result(8, "espalier", 10, ResultState::Right, "b")});
  const auto standings = standings_of(all);
  ASSERT_EQ(standings.size(), 2U);
  EXPECT_EQ(standings[0].events, 2U);
  EXPECT_EQ(standings[1].machine, "b");
}

TEST(Criteria, HoldWhereTheyDo) {
  const auto good = criteria_of(lines({result(8, "espalier", 10), result(8, "ompi", 20)}));
  ASSERT_EQ(good.size(), 2U) << "no single algorithm took part";
  EXPECT_TRUE(good[0].holds);
  EXPECT_TRUE(good[1].holds);
  const auto bad = criteria_of(
      lines({result(8, "espalier", 10), result(8, "ompi", 8), result(8, "bcast:NTSL", 5)}));
  ASSERT_EQ(bad.size(), 3U);
  for (const Criterion& c : bad) EXPECT_FALSE(c.holds) << c.what;
}

TEST(Page, NamesWinnersAndLossesAndIsSafeToOpen) {
  const auto all = lines({result(8, "espalier", 10, ResultState::Right, "<m>"),
                          result(8, "ompi", 8, ResultState::Right, "<m>")});
  const std::string html = page(all);
  EXPECT_NE(html.find("<b>ompi</b>"), std::string::npos);
  EXPECT_NE(html.find("1.25"), std::string::npos);
  EXPECT_EQ(html.find("<m>"), std::string::npos);
  EXPECT_EQ(loss_table(all).rows.size(), 1U);
}

}  // namespace
}  // namespace espalier::league
