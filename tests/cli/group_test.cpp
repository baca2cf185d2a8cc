#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/run_tool.hpp"

namespace espalier {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

Json groups(const Words& extra) {
  Words arguments{"group", "simulate", "--json"};
  arguments.insert(arguments.end(), extra.begin(), extra.end());
  const Ran ran = run_tool(arguments);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  return Json::parse(ran.out);
}

TEST(ToolGroup, MakesTheSameGroupWithEveryScheme) {
  const Json json = groups({"-n", "300", "-f", "0.5"});
  EXPECT_EQ(json["format"], "espalier-group-1");
  ASSERT_EQ(json["schemes"].size() + json["left_out"].size(), 9U);
  for (const Json& scheme : json["schemes"]) {
    EXPECT_EQ(scheme["members"], json["schemes"][0]["members"]) << scheme["scheme"];
    EXPECT_GT(scheme["messages"], 299) << scheme["scheme"];
    EXPECT_GT(scheme["messages_by_kind"]["begin"], 0) << scheme["scheme"];
  }
}

TEST(ToolGroup, TakesColoursAndAMachine) {
  const Json json =
      groups({"-m", "node:8(5us) proc:4(500ns,send=1us,recv=1us)", "--colours", "4", "-f", "1"});
  EXPECT_EQ(json["processes"], 32);
  EXPECT_EQ(json["model"], "levels");
  for (const Json& scheme : json["schemes"]) EXPECT_EQ(scheme["members"], 32);
  EXPECT_FALSE(json["left_out"].empty());  // schemes of one colour
}

TEST(ToolGroup, EntersEachSiteOnceAlongTheTopology) {
  const Json json = groups({"-m", "site:4(10ms) node:8(5us) proc:4(500ns,send=1us,recv=1us)", "-s",
                            "rank-and-hash,along-topology"});
  const Json &plain = json["schemes"][0], &along = json["schemes"][1];
  EXPECT_EQ(along["edges_between_clusters"][0], 3);
  EXPECT_GT(plain["edges_between_clusters"][0], 3);
  EXPECT_LT(along["broadcast_ps"], plain["broadcast_ps"]);
}

TEST(ToolGroup, SaysTheSameTwiceAndDraws) {
  const Words arguments{"group", "simulate", "-n", "100", "--scheme", "rank-and-hash,centralized"};
  const Ran first = run_tool(arguments);
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(first.out, run_tool(arguments).out);
  EXPECT_NE(run_tool({"group", "simulate", "-n", "100", "--svg", "-"}).out.find("<svg"),
            std::string::npos);
}

TEST(ToolGroup, RefusesWhatItCannotDo) {
  for (const Words& wrong :
       {Words{"group"}, Words{"group", "split"}, Words{"group", "simulate", "-n", "0"},
        Words{"group", "simulate", "-f", "1.5"}, Words{"group", "simulate", "-k", "1"},
        Words{"group", "simulate", "--scheme", "hash"},
        Words{"group", "simulate", "-n", "8", "--colours", "9"},
        Words{"group", "simulate", "--seed", "x"}}) {
    EXPECT_EQ(run_tool(wrong).exit_code, 2) << wrong.back();
  }
}

}  // namespace
}  // namespace espalier
