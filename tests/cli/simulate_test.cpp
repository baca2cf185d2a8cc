#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>

#include "cli/run_tool.hpp"

namespace espalier {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

const std::string kSimulateGrid =
    "site:2(30ms,100Mbit/s) machine:1|2(500us,1Gbit/s) proc:4(5us,10Gbit/s,send=1us,recv=1us)";

Ran simulate(Words extra) {
  extra.insert(extra.begin(), "simulate");
  return run_tool(extra);
}

Json simulated(Words extra) {
  extra.emplace_back("--json");
  const Ran ran = simulate(std::move(extra));
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  return Json::parse(ran.out);
}

TEST(ToolSimulate, TakesThePlanThatPlanChooses) {
  for (const char* operation : {"broadcast", "allreduce", "barrier", "alltoall", "scan"}) {
    Words call{operation, "-m", kSimulateGrid};
    if (std::string_view(operation) != "barrier") call.insert(call.end(), {"--size", "4KiB"});
    Words plan{"plan"};
    plan.insert(plan.end(), call.begin(), call.end());
    plan.emplace_back("--json");
    const Json planned = Json::parse(run_tool(plan).out);
    const Json json = simulated(call);
    EXPECT_EQ(json["plan"], planned["chosen"]) << operation;
    EXPECT_EQ(json["finish_ps"], planned["finish_ps"]) << operation;
  }
}

TEST(ToolSimulate, AccountsForEveryMomentAndMessage) {
  const Json json =
      simulated({"allreduce", "-m", kSimulateGrid, "--size", "64KiB", "--skew", "1ms@7"});
  std::int64_t at = 0;
  for (const Json& step : json["critical_path"]) {
    EXPECT_EQ(step["begin_ps"], at);
    at = step["end_ps"];
  }
  EXPECT_EQ(json["finish_ps"], at);
  std::uint64_t messages = 0;
  for (const Json& level : json["levels"]) messages += level["messages"].get<std::uint64_t>();
  EXPECT_EQ(json["messages"].size(), messages);
  EXPECT_EQ(json["ranks"].size(), 12U);
  EXPECT_EQ(json["ranks"][7]["entered_ps"], 1'000'000'000);
}

TEST(ToolSimulate, WaitsForWhoIsLateAndKeepsThePlan) {
  const Json usual = simulated({"barrier", "-m", kSimulateGrid});
  const Json late = simulated({"barrier", "-m", kSimulateGrid, "--skew", "50ms@3"});
  EXPECT_EQ(late["plan"], usual["plan"]);
  EXPECT_GE(late["finish_ps"].get<std::int64_t>(), 50'000'000'000);
  EXPECT_EQ(late["critical_path"][0]["kind"], "late");
  const Words random{"barrier", "-m", kSimulateGrid, "--skew", "random:2ms:7"};
  EXPECT_EQ(simulated(random), simulated(random));
}

TEST(ToolSimulate, KnowsBothRulesOfSharingAndTheEagerLimit) {
  const Words call{"gather", "-m", kSimulateGrid, "--size", "64KiB", "--algorithm", "linear"};
  const auto finish = [&](const Words& extra) {
    Words all = call;
    all.insert(all.end(), extra.begin(), extra.end());
    return simulated(all)["finish_ps"].get<std::int64_t>();
  };
  EXPECT_EQ(finish({}), finish({"--sharing", "exact"}));
  EXPECT_NE(finish({"--sharing", "exact"}), finish({"--sharing", "bottleneck"}));
  EXPECT_EQ(finish({"--eager", "64KiB"}), finish({}));
}

TEST(ToolSimulate, DrawsInColourOnlyWhenAsked) {
  const Words call{"broadcast", "-m", kSimulateGrid};
  EXPECT_EQ(simulate(call).out.find('\x1b'), std::string::npos);
  Words coloured = call;
  coloured.insert(coloured.end(), {"--color", "always"});
  EXPECT_NE(simulate(coloured).out.find('\x1b'), std::string::npos);
}

TEST(ToolSimulate, RefusesWhatItCannotSimulate) {
  for (const auto& [extra, where] : std::vector<std::pair<Words, std::string>>{
           {{"--skew", "5ms"}, "--skew: error:"},
           {{"--skew", "5ms@12"}, "--skew: error: rank 12"},
           {{"--skew", "random:2ms"}, "--skew: error:"},
           {{"--algorithm", "binomal"}, "did you mean \"binomial\"?"},
           {{"--sharing", "fair"}, "--sharing: error: \"fair\""},
           {{"--eager", "much"}, "--eager: error:"},
           {{"--root", "12"}, "--root: error:"},
           {{"--svg", "/no/such/folder/x.svg"}, "/no/such/folder/x.svg: error:"},
           {{"--json", "--svg", "x.svg"}, "error:"}}) {
    Words call{"broadcast", "-m", kSimulateGrid};
    call.insert(call.end(), extra.begin(), extra.end());
    const Ran ran = simulate(call);
    EXPECT_EQ(ran.exit_code, 2) << ran.err;
    EXPECT_EQ(ran.out, "");
    EXPECT_NE(ran.err.find(where), std::string::npos) << ran.err;
  }
  EXPECT_EQ(simulate({"alltoall", "-m", "proc:4096"}).exit_code, 2);
}

TEST(ToolPlan, DrawsItsPlan) {
  const Ran ran = run_tool({"plan", "allreduce", "-m", kSimulateGrid, "--svg", "-"});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_TRUE(ran.out.starts_with("<svg "));
  EXPECT_NE(ran.out.find("who sends to whom"), std::string::npos);
  EXPECT_NE(ran.out.find("critical path"), std::string::npos);
  EXPECT_EQ(run_tool({"plan", "barrier", "-m", kSimulateGrid, "--json", "--svg", "-"}).exit_code,
            2);
}

/// Exact sharing would take seconds there. Who asks for it gets it.
TEST(ToolSimulate, SaysWhereItDoesNotShareLinksExactly) {
  const Ran ran = run_tool({"simulate", "alltoall", "-m", "proc:150(1us,1Gbit/s,send=1us)", "-s",
                            "1MB", "--algorithm", "direct"});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.err.find("times may differ from those of espalier plan"), std::string::npos)
      << ran.err;
  EXPECT_NE(ran.out.find("Links serve one message after the other"), std::string::npos) << ran.out;
}

}  // namespace
}  // namespace espalier
