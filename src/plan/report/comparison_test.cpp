#include "report/comparison.hpp"

#include <gtest/gtest.h>

#include "base/json.hpp"
#include "support/machines.hpp"

namespace espalier::report {
namespace {

Comparison three() {
  Comparison comparison;
  comparison.members = 12;
  comparison.size = Bytes{1024};
  comparison.model = "levels";
  comparison.contenders = {
      {"binomial", "by rank", microseconds(700), microseconds(400), 4, {4, 3, 4}},
      {"fnf", "fastest", microseconds(400), microseconds(250), 3, {8, 2, 1}},
      {"flat", "one by one", microseconds(400), microseconds(300), 1, {8, 0, 3}}};
  rank_contenders(comparison.contenders);
  return comparison;
}

TEST(Comparison, PutsTheFastestFirstAndKeepsTheOrderOfEqualOnes) {
  const auto contenders = three().contenders;
  EXPECT_EQ(contenders[0].algorithm, "fnf");
  EXPECT_EQ(contenders[1].algorithm, "flat");
  EXPECT_EQ(contenders[2].algorithm, "binomial");
}

TEST(ComparisonText, MarksAllTheBest) {
  EXPECT_EQ(comparison_text(three(), grid(), {}),
            "broadcast of 1 KiB from rank 0: 12 of 12 processes, model levels\n"
            "\n"
            "   algorithm  finish  x best  mean arrival  height  wan  lan  memory\n"
            "*  fnf        400 us   1.000        250 us       3    8    2       1\n"
            "*  flat       400 us   1.000        300 us       1    8    0       3\n"
            "   binomial   700 us   1.750        400 us       4    4    3       4\n"
            "\n"
            "Times are the model's: each message has its links to itself. espalier plan and "
            "espalier simulate\n"
            "share links among messages, so their times may be longer.\n");
}

TEST(ComparisonText, OfAReductionHasNoMeanArrivalForPeople) {
  Comparison comparison = three();
  comparison.operation = schedule::Operation::Reduce;
  EXPECT_EQ(comparison_text(comparison, grid(), {}).find("arrival"), std::string::npos);
  const auto document = Json::parse(comparison_json(comparison, grid()));
  EXPECT_EQ(document["algorithms"][0]["mean_arrival_ps"], 250'000'000);
}

TEST(ComparisonText, PutsTheBoundBelowAndTheGapBeside) {
  Comparison comparison = three();
  comparison.bound = Bound{microseconds(320), false, "branch and bound"};
  const std::string text = comparison_text(comparison, grid(), {});
  EXPECT_NE(text.find("over bound"), std::string::npos) << text;
  EXPECT_NE(text.find("25.00"), std::string::npos) << text;
  EXPECT_NE(text.find("\nno tree is faster than: 320 us (branch and bound)\n"), std::string::npos)
      << text;
}

TEST(ComparisonText, SaysWhatIsLeftOutAndWhy) {
  Comparison comparison = three();
  comparison.left_out = {{"optimal", "links matter"}};
  EXPECT_TRUE(
      comparison_text(comparison, grid(), {}).ends_with("\nleft out: optimal: links matter\n"));
  const auto document = Json::parse(comparison_json(comparison, grid()));
  EXPECT_EQ(document["left_out"][0]["why"], "links matter");
}

TEST(ComparisonJson, HasOneRowForEachAlgorithm) {
  Comparison comparison = three();
  auto document = Json::parse(comparison_json(comparison, grid()));
  EXPECT_EQ(document["format"], "espalier-compare-1");
  EXPECT_TRUE(document["bound"].is_null());
  ASSERT_EQ(document["algorithms"].size(), 3u);
  EXPECT_EQ(document["algorithms"][2]["finish_ps"], 700'000'000);
  EXPECT_EQ(document["algorithms"][2]["ratio"], 1.75);
  EXPECT_EQ(document["algorithms"][2]["messages_level_2"], 4);
  comparison.bound = Bound{microseconds(400), true, ""};
  document = Json::parse(comparison_json(comparison, grid()));
  EXPECT_EQ(document["bound"]["is_optimum"], true);
  EXPECT_EQ(document["algorithms"][0]["gap_percent"], 0.0);
}

}  // namespace
}  // namespace espalier::report
