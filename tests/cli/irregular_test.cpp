#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/run_tool.hpp"

namespace espalier {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

const std::string kIrregularGrid =
    "site:2(10ms,1Gbit/s) proc:4(50us,1Gbit/s,send=10us,recv=10us,speed=1*4|3*4)";

Json document(Words arguments) {
  arguments.emplace_back("--json");
  const Ran ran = run_tool(arguments);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  return Json::parse(ran.out);
}

std::string file_with(const std::string& name, const std::string& text) {
  const auto path = std::filesystem::path(testing::TempDir()) / name;
  std::ofstream(path) << text;
  return path.string();
}

TEST(ToolCounts, PlansEveryOperationForEveryDistribution) {
  for (const char* operation : {"scatterv", "gatherv", "allgatherv", "alltoallv"}) {
    for (const char* counts : {"equal", "cpu-speed", "uniform:2", "giant", "powerlaw", "zeros:3"}) {
      const Ran ran =
          run_tool({"plan", operation, "-m", kIrregularGrid, "--counts", counts, "--size", "10KB"});
      EXPECT_EQ(ran.exit_code, 0) << ran.err;
      EXPECT_NE(ran.out.find(", verified"), std::string::npos) << ran.out;
    }
  }
}

TEST(ToolCounts, RankTheFastestFirstButForOnePerCent) {
  const Json json = document({"plan", "gatherv", "-m", kIrregularGrid, "--counts", "powerlaw:7"});
  EXPECT_EQ(json["format"], "espalier-irregular-1");
  EXPECT_EQ(json["operation"], "gather");
  EXPECT_EQ(json["counts"].size(), 8U);
  for (const Json& plan : json["plans"]) {
    EXPECT_GE(1.011 * plan["finish_ps"].get<double>(), json["plans"][0]["finish_ps"].get<double>());
  }
}

TEST(ToolCounts, SaysWhatIsNotSimulatedAndSimulatesItIfTold) {
  const std::string many = "node:32(50us,1Gbit/s) proc:32(1us,10Gbit/s)";
  const Words plan{"plan", "scatterv", "-m", many, "--counts", "powerlaw", "--size", "10KB"};
  const Ran some = run_tool(plan);
  EXPECT_EQ(some.exit_code, 0) << some.err;
  EXPECT_NE(some.out.find("about 16,384 messages are simulated in all"), std::string::npos)
      << some.out;
  EXPECT_NE(some.out.find(" simulated, verified"), std::string::npos) << some.out;
  const Json json = document(plan);
  EXPECT_TRUE(json["plans"].front()["predicted_ps"].is_null());
  EXPECT_TRUE(json["plans"].back()["finish_ps"].is_null());
  EXPECT_GT(json["plans"].back()["predicted_ps"], 0);
  Words all = plan;
  all.emplace_back("--all");
  const Ran every = run_tool(all);
  EXPECT_EQ(every.exit_code, 0) << every.err;
  EXPECT_EQ(every.out.find("not simulated"), std::string::npos) << every.out;
}

TEST(ToolCounts, ExchangesAmongManyRanksSayHowLinksAreShared) {
  const std::string many = "node:9(50us,1Gbit/s) proc:8(1us,10Gbit/s)";
  const Ran ran =
      run_tool({"plan", "alltoallv", "-m", many, "--counts", "powerlaw", "--size", "10KB"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.out.find("each link serves its messages one after the other"), std::string::npos)
      << ran.out;
}

TEST(ToolCounts, APlanByItsNameNeedsNoOtherToBeSimulated) {
  for (const char* name : {"binomial", "binomial one by one"}) {
    const Json json = document(
        {"simulate", "gatherv", "-m", kIrregularGrid, "--counts", "equal", "--algorithm", name});
    EXPECT_EQ(json["plan"], name);
  }
}

TEST(ToolCounts, AScheduleOnStandardOutputStandsAlone) {
  for (const char* operation : {"scatterv", "alltoallv"}) {
    const Ran ran =
        run_tool({"plan", operation, "-m", "proc:4", "--counts", "equal", "--schedule", "-"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_TRUE(Json::accept(ran.out)) << ran.out;
  }
}

TEST(ToolCounts, CompareShowsEachTreeOnce) {
  const Json json =
      document({"compare", "-o", "scatterv", "-m", kIrregularGrid, "--counts", "cpu-speed"});
  std::size_t linear = 0;
  for (const Json& plan : json["plans"]) {
    linear += plan["plan"].get<std::string>().starts_with("linear") ? 1 : 0;
  }
  EXPECT_EQ(linear, 1U);
}

TEST(ToolCounts, TreeTellsWhoHoldsWhat) {
  const std::string file = file_with("espalier_counts", "5 0 7 1 # of the first site\n0 0 2 9\n");
  const Json json = document({"tree", "-a", "binomial", "-o", "scatterv", "-m", kIrregularGrid,
                              "--counts", file, "--root", "1"});
  const Json& rows = json["plans"];
  ASSERT_EQ(rows.size(), 6U);  // the root, and five with blocks
  EXPECT_EQ(rows[0]["rank"], 1);
  EXPECT_TRUE(rows[0]["parent"].is_null());
  EXPECT_EQ(rows[0]["bundle_bytes"], 24);
}

TEST(ToolCounts, TreesGoByTheModelThatIsNamed) {
  const Words tree{"tree", "-a",           "minimum-first", "-o",   "scatterv",
                   "-m",   kIrregularGrid, "--counts",      "equal"};
  Words with_model = tree;
  with_model.insert(with_model.end(), {"--model", "hockney:alpha=7ms,bandwidth=1Gbit/s"});
  const Json json = document(with_model);
  EXPECT_EQ(json["model"], "hockney");
  // Under it all pairs are equally far, so that the nearest of the other site are as good as any.
  EXPECT_GE(json["plans"][1]["done_ps"].get<std::int64_t>(), 7'000'000'000);
  EXPECT_NE(json["plans"], document(tree)["plans"]);
}

TEST(ToolCounts, EveryModelReachesEveryCommand) {
  for (const char* model :
       {"levels", "node-initiation", "hockney", "hockney:alpha=50us,bandwidth=1Gbit/s", "lmo",
        "loggp:L=5us,o=1us", "postal:lambda=3"}) {
    for (const Words& words : {Words{"plan", "scatterv"}, Words{"simulate", "gatherv"},
                               Words{"compare", "-o", "gatherv"},
                               Words{"tree", "-a", "model-traeff", "-o", "gatherv"}}) {
      Words all = words;
      all.insert(all.end(), {"-m", kIrregularGrid, "--counts", "powerlaw", "--model", model});
      const Ran ran = run_tool(all);
      EXPECT_EQ(ran.exit_code, 0) << ran.err;
    }
  }
}

TEST(ToolCounts, AcceptsThatNobodyHasAnything) {
  const Json json =
      document({"plan", "scatterv", "-m", kIrregularGrid, "--counts", "equal", "--size", "0"});
  EXPECT_EQ(json["plans"][0]["finish_ps"], 0);
}

TEST(ToolCounts, RefusesWhatItCannotDoAndSaysWhy) {
  const std::string seven = file_with("espalier_seven_counts", "1 2 3 4 5 6 7");
  const std::string words = file_with("espalier_no_counts", "1 2 three 4 5 6 7 8");
  const auto expect_refusal = [](const Words& arguments, const std::string& reason) {
    const Ran ran = run_tool(arguments);
    EXPECT_EQ(ran.exit_code, 2) << ran.out;
    EXPECT_NE(ran.err.find(reason), std::string::npos) << ran.err;
  };
  expect_refusal({"plan", "broadcast", "-m", kIrregularGrid, "--counts", "equal"},
                 "scatterv, gatherv");
  expect_refusal({"plan", "alltoallv", "-m", kIrregularGrid, "--counts", seven}, "64 blocks");
  expect_refusal(
      {"tree", "-a", "binomial", "-o", "allgatherv", "-m", kIrregularGrid, "--counts", "equal"},
      "scatterv and gatherv");
  expect_refusal({"plan", "scatterv", "-m", kIrregularGrid, "--counts", seven}, "7 lengths");
  expect_refusal({"plan", "scatterv", "-m", kIrregularGrid, "--counts", words}, "\"three\"");
  expect_refusal({"plan", "scatterv", "-m", kIrregularGrid, "--counts", "giant:x"}, "not a seed");
  expect_refusal({"plan", "scatterv", "-m", kIrregularGrid, "--counts", "equal", "--svg", "-"},
                 "--svg");
  expect_refusal({"plan", "scatterv", "-m", kIrregularGrid, "--memory", "1KiB"}, "--counts");
  expect_refusal(
      {"tree", "-a", "binomal", "-o", "scatterv", "-m", kIrregularGrid, "--counts", "equal"},
      "binomial");
}

}  // namespace
}  // namespace espalier
