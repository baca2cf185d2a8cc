#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/run_tool.hpp"

namespace espalier {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

const std::string kPlanGrid =
    "site:2(30ms,100Mbit/s) machine:1|2(500us,1Gbit/s) proc:4(5us,10Gbit/s,send=1us,recv=1us)";
const Words kOperations{"broadcast", "reduce",   "allreduce",      "barrier", "gather", "scatter",
                        "allgather", "alltoall", "reduce-scatter", "scan",    "exscan"};

Json plan(const Words& extra) {
  Words arguments{"plan"};
  arguments.insert(arguments.end(), extra.begin(), extra.end());
  arguments.emplace_back("--json");
  const Ran ran = run_tool(arguments);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  return Json::parse(ran.out);
}

TEST(ToolPlan, SaysThatMessagesCostNothingWhereTheRootHasVeryMany) {
  const auto says = [](const std::string& operation, const std::string& line) {
    const Ran ran = run_tool({"plan", operation, "-m", line});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    return ran.out.find("messages cost processes nothing on this machine") != std::string::npos;
  };
  EXPECT_TRUE(says("gather", "rack:2(50us) node:3(20us,10Gbit/s) proc:8(1us)"));
  EXPECT_TRUE(says("gather", "node:64(20us,10Gbit/s) proc:16(1us)"));
  EXPECT_FALSE(says("gather", "rack:2(50us) node:3(20us,10Gbit/s) proc:8(1us,send=1ns,recv=1ns)"));
  EXPECT_FALSE(says("gather", "node:2(20us,10Gbit/s) proc:8(1us)"));
  EXPECT_FALSE(says("alltoall", "node:3(20us,10Gbit/s) proc:8(1us)"));
}

TEST(ToolPlan, VerifiesAPlanForEveryOperationAndNeverBeatsTheBound) {
  for (const std::string& operation : kOperations) {
    for (const char* size : {"8", "16KiB"}) {
      Words call{operation, "-m", kPlanGrid};
      if (operation != "barrier") call.insert(call.end(), {"--size", size});
      if (operation == "broadcast" || operation == "reduce" || operation == "gather" ||
          operation == "scatter") {
        call.insert(call.end(), {"--root", "5"});
      }
      const Json json = plan(call);
      EXPECT_EQ(json["verdict"], "verified") << operation;
      EXPECT_GE(json["finish_ps"], json["bound_ps"]) << operation;
      // Chosen by the closed forms; the list is in the order of the simulator.
      EXPECT_LE(json["finish_ps"].get<double>(),
                1.01 * json["candidates"][0]["finish_ps"].get<double>())
          << operation;
    }
  }
}

TEST(ToolPlan, CrossesTheWanOnceForEachFurtherSite) {
  for (const char* root : {"0", "3", "7", "11"}) {
    const Json json = plan({"broadcast", "-m", kPlanGrid, "--size", "64KiB", "--root", root});
    EXPECT_EQ(json["candidates"][0]["bytes_level_0"], 65536) << root;
    EXPECT_EQ(json["candidates"][0]["bytes_level_1"], 65536) << root;
  }
}

TEST(ToolPlan, StaysWithinFifteenPerCentOfTheBoundOnTheGrid) {
  for (const char* operation : {"broadcast", "reduce", "allreduce", "barrier"}) {
    for (const char* size : {"8", "4KiB", "64KiB", "1MiB"}) {
      Words call{operation, "-m", kPlanGrid};
      if (std::string_view(operation) != "barrier") call.insert(call.end(), {"--size", size});
      const Json json = plan(call);
      EXPECT_LT(json["finish_ps"].get<double>(), 1.15 * json["bound_ps"].get<double>())
          << operation << " " << size;
    }
  }
}

TEST(ToolPlan, CallsNothingADefectThatIsChosenForSmpi) {
  for (const char* operation : {"broadcast", "allreduce", "gather", "alltoall"}) {
    for (const char* size : {"1KiB", "64KiB", "1MiB"}) {
      const Ran ran =
          run_tool({"plan", operation, "-m", kPlanGrid, "--size", size, "--mpi", "smpi"});
      EXPECT_EQ(ran.exit_code, 0) << ran.err;
      EXPECT_EQ(ran.out.find("defect"), std::string::npos) << ran.out;
    }
  }
}

TEST(ToolPlan, NamesItsMachine) {
  const Json json = plan({"broadcast", "-m", kPlanGrid});
  EXPECT_EQ(json["machine"]["processes"], 12);
  EXPECT_TRUE(json["machine"]["name"].is_string());
}

TEST(ToolPlan, GivesTheSameHashEachTime) {
  const Words arguments{"allreduce", "-m", kPlanGrid, "--size", "64KiB", "--ordered"};
  EXPECT_EQ(plan(arguments)["hash"], plan(arguments)["hash"]);
  EXPECT_NE(plan(arguments)["hash"], "0000000000000000");
}

TEST(ToolPlan, RefusesWhatItCannotPlan) {
  for (const Words& extra :
       {Words{"alreduce", "-m", kPlanGrid}, Words{"reduce", "-m", kPlanGrid, "--size", "7"},
        Words{"reduce", "-m", kPlanGrid, "--element", "0"}, Words{"broadcast"},
        Words{"broadcast", "-m", kPlanGrid, "--root", "12"},
        Words{"barrier", "-m", "proc:4096", "--svg", "-"},
        Words{"barrier", "-m", kPlanGrid, "--schedule", "-", "--schedule-format", "xml"},
        Words{"broadcast", "-m", kPlanGrid, "--all", "--json"}}) {
    Words arguments{"plan"};
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    const Ran ran = run_tool(arguments);
    EXPECT_EQ(ran.exit_code, 2) << ran.err;
    EXPECT_EQ(ran.out, "");
    EXPECT_NE(ran.err.find("error:"), std::string::npos) << ran.err;
  }
}

TEST(ToolPlan, PredictsWhereThereAreTooManyToSimulate) {
  const Ran ran =
      run_tool({"plan", "alltoall", "-m", "node:16(5us,1Gbit/s) proc:40(1us,1Gbit/s,send=1us)",
                "--size", "1MB", "--json"});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.out.find("\"simulated\": false"), std::string::npos) << ran.out;
}

/// 14,280 messages that share links all at once are more work than 260,000 that follow each other.
TEST(ToolPlan, PredictsWhereTooManyMessagesShareLinksAtOnce) {
  const Words call{"plan", "alltoall", "-m", "proc:120(1us,1Gbit/s,send=1us)", "--size", "1MB"};
  const Ran ran = run_tool(call);
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.out.find(" simulated, verified"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("\nnot simulated: 1 with too many messages that share links at once "
                         "(--all simulates those of up to 2,097,152 messages)\n"),
            std::string::npos)
      << ran.out;
}

/// What has few messages is verified on any number of ranks, long pipelines by their first
/// segments.
TEST(ToolPlan, VerifiesOnManyRanksWhatHasFewMessages) {
  const auto verdict = [](const Words& call) {
    Words arguments{"-m", "site:4(10ms,100Mbit/s) node:16(50us,1Gbit/s) proc:16(1us,10Gbit/s)"};
    arguments.insert(arguments.begin(), call.begin(), call.end());
    return plan(arguments)["verdict"].get<std::string>();
  };
  EXPECT_EQ(verdict({"broadcast"}), "verified");
  EXPECT_EQ(verdict({"barrier"}), "verified");
  EXPECT_EQ(verdict({"broadcast", "-s", "1GiB"}).find("verified for its first "), 0U);
  EXPECT_EQ(verdict({"allgather"}).find("not verified: above 256 ranks"), 0U);
}

/// Whoever asks for all sees every name.
TEST(ToolPlan, FoldsNoRowsIfAllAreAskedFor) {
  const Words call{"plan", "broadcast", "-m", kPlanGrid, "--size", "2MB"};
  Words all = call;
  all.emplace_back("--all");
  const Ran ran = run_tool(all);
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.out.find(" alike"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("\nbinomial "), std::string::npos) << ran.out;
  EXPECT_NE(run_tool(call).out.find(" alike"), std::string::npos);
}

/// The chosen plan stands in the table once, whatever parameters it has that do not matter.
TEST(ToolPlan, ListsThePlanThatItChoosesOnce) {
  const Json json = plan({"allreduce", "-s", "1MB", "-m",
                          "site:3(10ms,100Mbit/s) node:8(50us,1Gbit/s) proc:4(1us,10Gbit/s)"});
  const auto& candidates = json["candidates"];
  EXPECT_EQ(std::count_if(candidates.begin(), candidates.end(),
                          [&](const Json& one) { return one["plan"] == json["chosen"]; }),
            1);
}

TEST(ToolReproduce, RefusesUnknownPapersAndParts) {
  EXPECT_EQ(run_tool({"reproduce", "newton"}).exit_code, 2);
  EXPECT_EQ(run_tool({"reproduce", "karonis", "--part", "figure99"}).exit_code, 2);
  EXPECT_EQ(run_tool({"reproduce", "banikazemi", "--seed", "x"}).exit_code, 2);
  EXPECT_EQ(run_tool({"reproduce", "langer", "--on", "there"}).exit_code, 2);
  EXPECT_EQ(run_tool({"reproduce", "karonis", "--on", "here"}).exit_code, 2);
  EXPECT_EQ(run_tool({"reproduce", "langer", "--on", "here", "--part", "table2"}).exit_code, 2);
  EXPECT_EQ(run_tool({"reproduce", "langer", "--on", "here", "--mpi", "lam"}).exit_code, 2);
  EXPECT_EQ(run_tool({"reproduce", "langer", "--on", "here", "--processes", "65"}).exit_code, 2);
  const Ran near = run_tool({"reproduce", "banikazemi", "--part", "table3"});
  EXPECT_NE(near.err.find("table2"), std::string::npos) << near.err;
}

// Other papers' exhibits: tests/cli/report_of_all.py.
TEST(ToolReproduce, WritesJsonForEveryPart) {
  const Ran ran = run_tool({"reproduce", "banikazemi", "--quick", "--json"});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const Json json = Json::parse(ran.out);
  EXPECT_EQ(json["format"], "espalier-reproduce-1");
  ASSERT_FALSE(json["exhibits"].empty());
  for (const Json& exhibit : json["exhibits"]) {
    EXPECT_FALSE(exhibit["rows"].empty()) << exhibit["key"];
  }
}

/// On many ranks the library tells the native call by a few of them; so does --mpi, which also says
/// what all of them come to.
TEST(ToolPlan, NamesWhatTheLibraryRunsOnManyRanks) {
  const Json json = plan({"reduce-scatter", "-m", "node:50(2us,25Gbit/s) proc:20(1900ns,25Gbit/s)",
                          "--size", "96B", "--mpi", "openmpi"});
  EXPECT_EQ(json["runs"], "native");
  EXPECT_GT(json["native_exact_ps"], json["native_predicted_ps"]);
}

TEST(ToolPlan, SimulatesThePlanOfTheMachineAsItIsPlanned) {
  for (const char* operation : {"allreduce", "broadcast"}) {
    const Words call{operation, "-m",
                     "site:1(30ms,1Gbit/s) node:4(50us,1Gbit/s) proc:4(1us,10Gbit/s)", "--size",
                     "1MiB"};
    const Json planned = plan(call);
    Words simulate{"simulate"};
    simulate.insert(simulate.end(), call.begin(), call.end());
    simulate.insert(simulate.end(), {"--algorithm", planned["chosen"], "--json"});
    const Ran ran = run_tool(simulate);
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(Json::parse(ran.out)["finish_ps"], planned["finish_ps"]) << planned["chosen"];
  }
}

TEST(ToolPlan, NeverEndsBeforeItBegins) {
  const Json json =
      plan({"broadcast", "-m", "site:2(30ms,1Mbit/s) proc:2(1us,1Gbit/s)", "--size", "4TiB"});
  for (const Json& one : json["candidates"]) {
    if (!one["finish_ps"].is_null()) {
      EXPECT_GT(one["finish_ps"], 0) << one;
    }
  }
}

/// A root with a message for each rank counted for a quarter of all: 4 million instead of 4,095.
TEST(ToolPlan, CountsTheMessagesOfARootOnce) {
  const Ran linear = run_tool({"simulate", "scatter", "-m", "proc:4096(1us,1Gbit/s)", "--algorithm",
                               "linear", "--size", "1KiB"});
  EXPECT_EQ(linear.exit_code, 0) << linear.err;
  const Ran flat = run_tool({"simulate", "broadcast", "-m", "proc:4096(1us,1Gbit/s)", "--algorithm",
                             "flat", "--size", "1KiB"});
  EXPECT_EQ(flat.exit_code, 0) << flat.err;
}

}  // namespace
}  // namespace espalier
