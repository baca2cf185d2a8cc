#include "reproduce/report.hpp"

#include <gtest/gtest.h>

#include "base/json.hpp"

namespace espalier::reproduce {
namespace {

Exhibit an_exhibit() {
  Exhibit exhibit{"table2", "Table 2: <FNF>", {}, {"a note & more"}, "<svg></svg>", {}};
  exhibit.table.columns = {{"participants", "n"}, {"fnf_us", "FNF"}, {"paper_fnf_us", "paper"}};
  exhibit.table.rows = {{std::int64_t{3}, report::Decimal{101, 1}, report::Decimal{100, 1}},
                        {std::int64_t{4}, report::Decimal{150, 1}, report::Decimal{200, 1}}};
  exhibit.stated = {{"optimal, %", 88, 90}};
  return exhibit;
}

ReportedPart a_part() {
  ReportedPart about;
  about.paper = "banikazemi";
  about.key = "table2";
  about.command = "espalier reproduce banikazemi --part table2";
  about.date = "2026-11-17";
  about.version = "1";
  return reported(an_exhibit(), about);
}

TEST(Report, PutsThePapersNumbersBesideOurs) {
  const ReportedPart part = a_part();
  ASSERT_EQ(part.comparisons.size(), 3U);
  EXPECT_DOUBLE_EQ(part.comparisons[0].ratio(), 1.01);
  EXPECT_EQ(part.comparisons[1].what, "participants 4: fnf_us");
  const std::string words = verdict(part.comparisons);
  EXPECT_NE(words.find("2 of 3 numbers"), std::string::npos) << words;
  EXPECT_NE(words.find("ours is 150, the paper's 200, 25 % less"), std::string::npos) << words;
  EXPECT_NE(verdict({part.comparisons[0]}).find("within 5 %"), std::string::npos);
  EXPECT_EQ(verdict({}), "");
}

TEST(Report, FindsNumbersThatStandInThePapersText) {
  const auto rows = Json::parse(
      R"([{"percent_fast":25,"sources":1,"fnf_factor":9.0},{"percent_fast":50,"sources":1,"fnf_factor":1.2},
          {"percent_fast":50,"sources":2,"fnf_factor":1.8}])");
  const auto found = compare("banikazemi", "figure10", rows);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_DOUBLE_EQ(found[0].ours, 1.8);
  EXPECT_DOUBLE_EQ(found[0].paper, 2.4);
}

TEST(Report, TakesTheLeastOrTheMostOfTheRowsThatCountAndTimesOrPerCentOfAnother) {
  const auto lengths = Json::parse(
      R"([{"lengths":"cpu-speed","maximum-first_ms":1.0,"binomial_ms":100.0},
          {"lengths":"giant","maximum-first_ms":90.0,"binomial_ms":100.0},
          {"lengths":"giant","maximum-first_ms":60.0,"binomial_ms":100.0}])");
  const auto gains = compare("dichev", "switch", lengths);
  ASSERT_EQ(gains.size(), 2U);
  EXPECT_NEAR(gains[0].ours, 10, 1e-9);  // the least, beside 25
  EXPECT_NEAR(gains[1].ours, 40, 1e-9);  // the most, beside 35
  const auto shared = Json::parse(
      R"([{"speed_factor":4,"percent_fast":25,"size_bytes":1024,"default_us":30.0,"spoc_us":10.0,"fnf_us":5.0},
          {"speed_factor":6,"percent_fast":25,"size_bytes":1024,"default_us":90.0,"spoc_us":10.0,"fnf_us":5.0}])");
  const auto times = compare("banikazemi", "contention", shared);
  ASSERT_EQ(times.size(), 2U);
  EXPECT_DOUBLE_EQ(times[0].ours, 3);
  EXPECT_DOUBLE_EQ(times[1].ours, 6);
  EXPECT_TRUE(compare("dichev", "switch", Json::parse(R"([{"lengths":"giant"}])")).empty());
}

TEST(Report, AZeroOfThePaperIsComparedWithoutARatio) {
  const Comparison same{"gap", 0, 0}, other{"gap", 0.2, 0}, off{"x", 3, 2};
  EXPECT_TRUE(same.is_same());
  EXPECT_FALSE(other.is_same());
  EXPECT_DOUBLE_EQ(off.off(), 0.5);
  EXPECT_NE(verdict({other}).find("ours is 0.2, the paper's 0."), std::string::npos);
  ReportedPart part = a_part();
  part.comparisons = {other};
  const auto json = Json::parse(report_json({part}));
  EXPECT_TRUE(json["exhibits"][0]["comparisons"][0]["ratio"].is_null());
  EXPECT_EQ(report_html({part}).find("inf"), std::string::npos);
}

TEST(Report, AnExhibitWithoutNumbersOfThePaperSaysSo) {
  ReportedPart part = a_part();
  part.comparisons.clear();
  part.paper = "karonis";
  part.key = "lan";
  EXPECT_NE(verdict_of(part).find("not in the paper"), std::string::npos);
  EXPECT_NE(report_html({part}).find("class=\"verdict none\">This exhibit is not in the paper"),
            std::string::npos);
  EXPECT_EQ(verdict_of(a_part()), verdict(a_part().comparisons));
}

TEST(Report, APartComesBackFromItsFile) {
  const ReportedPart part = a_part();
  const auto again = part_from_text(to_text(part), "f");
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(to_text(*again), to_text(part));
  ASSERT_EQ(again->comparisons.size(), part.comparisons.size());
  EXPECT_EQ(again->comparisons[2].what, "optimal, %");
  EXPECT_FALSE(part_from_text("{}", "f"));
  ReportedPart broken = part;
  broken.figures = "[1,";
  EXPECT_FALSE(part_from_text(to_text(broken), "f"));
  EXPECT_FALSE(part_from_text(to_text(part).substr(0, 40), "f"));
}

TEST(Report, IsOnePageThatLoadsNothing) {
  const std::string page = report_html({a_part()});
  EXPECT_NE(page.find("Table 2: &lt;FNF&gt;"), std::string::npos);
  EXPECT_NE(page.find("a note &amp; more"), std::string::npos);
  EXPECT_NE(page.find("espalier reproduce banikazemi --part table2"), std::string::npos);
  for (const char* other : {"<script", "src=", "http", "@import", "url("}) {
    EXPECT_EQ(page.find(other), std::string::npos) << other;
  }
  const auto json = Json::parse(report_json({a_part()}));
  EXPECT_EQ(json["exhibits"][0]["rows"].size(), 2U);
}

std::vector<std::string> names_of(const std::vector<ReportedPart>& parts) {
  std::vector<std::string> names;
  for (const ReportedPart& part : parts) names.push_back(part.paper + part.key + part.mpi);
  return names;
}

TEST(Report, MeasuredExhibitsFollowTheComputedOnesOfTheirKey) {
  const auto part = [](const char* paper, const char* key, const char* mpi = "") {
    ReportedPart made;
    made.paper = paper;
    made.key = key;
    made.mpi = mpi;
    return made;
  };
  const std::vector<ReportedPart> all =
      arranged({part("a", "1"), part("a", "2"), part("b", "1")},
               {part("a", "1", "mpich"), part("a", "1", "openmpi"), part("a", "3", "mpich"),
                part("b", "9", "mpich"), part("c", "1", "mpich")});
  EXPECT_EQ(names_of(all), (std::vector<std::string>{"a1", "a1mpich", "a1openmpi", "a2", "a3mpich",
                                                     "b1", "b9mpich", "c1mpich"}));
}

}  // namespace
}  // namespace espalier::reproduce
