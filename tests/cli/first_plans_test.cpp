// What somebody who uses the tool for the first time tries: plans, simulations and their tables.
#include <gtest/gtest.h>

#include <sstream>

#include "cli/first_use.hpp"

namespace espalier {
namespace {

// Above 256 ranks links were shared by another rule, and times differed by up to half.
TEST(FirstUse, SimulateAndPlanShareLinksAlikeAmongManyRanks) {
  const std::string machine = "site:4(10ms,1Gbit/s) node:10(50us,10Gbit/s) proc:8(1us,20Gbit/s)";
  for (const char* size : {"1KiB", "64KiB"}) {
    const Words call{"broadcast", "-m", machine, "-s", size, "--json"};
    Words plan{"plan"}, simulate{"simulate"};
    plan.insert(plan.end(), call.begin(), call.end());
    simulate.insert(simulate.end(), call.begin(), call.end());
    const Json planned = Json::parse(succeeded(plan).out);
    const Ran ran = succeeded(simulate);
    EXPECT_EQ(Json::parse(ran.out)["finish_ps"], planned["finish_ps"]) << size;
    EXPECT_EQ(ran.err, "");
  }
}

TEST(FirstUse, SizesAreShownAsTheyWereGiven) {
  EXPECT_TRUE(has(succeeded({"plan", "broadcast", "-m", kFirstGrid, "-s", "2MB"}).out, "of 2 MB"));
  EXPECT_TRUE(has(succeeded({"compare", "-m", kFirstGrid, "-s", "64kB"}).out, "of 64 kB"));
  EXPECT_TRUE(has(succeeded({"compare", "-m", kFirstGrid, "-s", "64KiB"}).out, "of 64 KiB"));
}

TEST(FirstUse, PlanAndCompareSayHowLinksAreShared) {
  EXPECT_TRUE(has(succeeded({"plan", "broadcast", "-m", kFirstGrid}).out, "links shared max-min"));
  EXPECT_TRUE(has(succeeded({"compare", "-m", kFirstGrid}).out, "has its links to itself"));
  EXPECT_TRUE(Json::parse(succeeded({"plan", "broadcast", "-m", kFirstGrid, "--json"}).out)
                  .at("links_shared")
                  .get<bool>());
  EXPECT_FALSE(Json::parse(succeeded({"compare", "-m", kFirstGrid, "--json"}).out)
                   .at("links_shared")
                   .get<bool>());
}

TEST(FirstUse, PlanNamesTheAlgorithmThatTheMpiLibraryIsTakenToUse) {
  const Words words{"plan", "broadcast", "-m", kFirstGrid, "-s", "1MiB", "--mpi", "openmpi"};
  const std::string out = succeeded(words).out;
  EXPECT_TRUE(has(out, " predicted (binomial") || has(out, " predicted (scatter-ring")) << out;
  Words as_json = words;
  as_json.emplace_back("--json");
  const auto document = Json::parse(succeeded(as_json).out);
  EXPECT_TRUE(has(out, " predicted (" + document.at("native_plan").get<std::string>())) << out;
}

TEST(FirstUse, AShortenedSimulationSaysWhatTheWholeCallTakes) {
  const Ran ran = succeeded({"simulate", "broadcast", "-s", "1GiB", "-m",
                             "site:3(10ms,1Gbit/s) node:16(50us,10Gbit/s) proc:32(500ns)"});
  EXPECT_TRUE(has(ran.err, "of 65,536 segments. All of broadcast of 1 GiB among 1,536 processes"))
      << ran.err;
}

TEST(FirstUse, OperationsHaveTheirNamesOfMpiEverywhere) {
  const auto plan = [](const char* name) {
    return succeeded({"plan", name, "-m", kFirstGrid, "--json"}).out;
  };
  for (const char* name : {"bcast", "MPI_Bcast", "Broadcast"})
    EXPECT_EQ(plan(name), plan("broadcast"));
  EXPECT_EQ(plan("MPI_Reduce_scatter_block"), plan("reduce-scatter"));
  const auto compare = [](const char* name) {
    return succeeded({"compare", "-m", kFirstGrid, "-o", name}).out;
  };
  EXPECT_EQ(compare("MPI_Reduce"), compare("reduce"));
  const Words counts{"-m", kFirstGrid, "--counts", "uniform:3"};
  for (const char* command : {"plan", "simulate"}) {
    Words words{command, "MPI_Scatterv"};
    words.insert(words.end(), counts.begin(), counts.end());
    EXPECT_EQ(succeeded(words).exit_code, 0);
  }
}

TEST(FirstUse, OperationsByLengthsAreSimulatedAndHaveABound) {
  const Words call{"gatherv", "-m", kFirstGrid, "--counts", "powerlaw:7", "--size", "10KB"};
  Words plan{"plan"};
  plan.insert(plan.end(), call.begin(), call.end());
  const Ran planned = succeeded(plan);
  EXPECT_TRUE(has(planned.out, "no plan is faster than ")) << planned.out;
  Words simulate{"simulate"};
  simulate.insert(simulate.end(), call.begin(), call.end());
  EXPECT_TRUE(has(succeeded(simulate).out, "critical path"));
  for (const char* operation : {"scatterv", "allgatherv", "alltoallv"}) {
    simulate[1] = operation;
    EXPECT_TRUE(has(succeeded(simulate).out, "critical path")) << operation;
  }
  EXPECT_TRUE(has(run_tool({"plan", "gossip", "-m", "proc:2"}).err, "alltoallv"));
}

/// The names in the first column of the table.
std::vector<std::string> plan_names(const std::string& text) {
  std::vector<std::string> names;
  std::istringstream lines(text);
  bool is_table = false;
  for (std::string line; std::getline(lines, line);) {
    if (is_table && (line.empty() || line.starts_with("(") || line.starts_with("predicted:")))
      break;
    if (is_table) names.push_back(line.substr(0, line.find("  ")));
    is_table = is_table || line.starts_with("plan ");
  }
  return names;
}

TEST(FirstUse, EveryNameThatPlanPrintsIsAPlanToSimulate) {
  for (const char* operation : {"broadcast", "allreduce", "alltoall"}) {
    const auto names = plan_names(
        succeeded({"plan", operation, "-m", kFirstGrid, "--size", "64KiB", "--width", "60"}).out);
    ASSERT_GE(names.size(), 5U);
    for (const std::string& name : names) {
      (void)succeeded(
          {"simulate", operation, "-m", kFirstGrid, "--size", "64KiB", "-a", name, "--json"});
    }
  }
}

TEST(FirstUse, ThePlanTableMarksTheChosenRowAndSaysHowLinksAreShared) {
  const std::string text =
      succeeded({"plan", "broadcast", "-m", kFirstGrid, "--size", "64KiB"}).out;
  EXPECT_TRUE(has(text, "<- chosen")) << text;
  EXPECT_TRUE(has(text, "predicted, ms  simulated, ms")) << text;
  EXPECT_TRUE(has(text, "links shared max-min fairly")) << text;
  EXPECT_FALSE(has(text, "best while")) << text;
  EXPECT_TRUE(has(succeeded({"compare", "-m", kFirstGrid}).out, "links to itself"));
  EXPECT_TRUE(has(succeeded({"simulate", "barrier", "-m", kFirstGrid}).out, "--sharing exact"));
}

TEST(FirstUse, ThePlanTableSaysWhyAnotherThanTheFirstIsChosen) {
  const std::string why = "(chosen: the library takes one plan for all sizes near this one";
  const std::string far = "site:2(30ms,100Mbit/s) machine:1|2(500us,1Gbit/s) proc:4(5us)";
  const std::string text = succeeded({"plan", "allreduce", "-m", far, "--size", "64KiB"}).out;
  EXPECT_TRUE(has(text, why)) << text;
  EXPECT_FALSE(has(succeeded({"plan", "broadcast", "-m", "proc:2(5us,1Gbit/s)"}).out, why));
}

TEST(FirstUse, PlansThatAreAlikeShareARow) {
  // Two processes: every tree is the same.
  const std::string text = succeeded({"plan", "broadcast", "-m", "proc:2(5us,1Gbit/s)"}).out;
  EXPECT_TRUE(has(text, " alike")) << text;
  const auto names = plan_names(text);
  const auto all = Json::parse(
      succeeded({"plan", "broadcast", "-m", "proc:2(5us,1Gbit/s)", "--json"}).out)["candidates"];
  EXPECT_LT(names.size(), all.size());
}

TEST(FirstUse, LargeCallsAreAnsweredWithinBounds) {
  const std::string large = "rack:8(100us,40Gbit/s) node:16(50us,10Gbit/s) proc:32(500ns)";
  for (const char* line : {"simulate broadcast --size 1GiB", "simulate allreduce --size 1KiB",
                           "simulate barrier", "compare --size 1GiB", "tree -a fnf --size 1GiB"}) {
    const Ran ran = run_shell("ulimit -t 20 -v 1000000; \"$ESPALIER\" " + std::string(line) +
                              " -m '" + large + "' | head -c 100000 >/dev/null; exit $PIPESTATUS");
    EXPECT_EQ(ran.exit_code, 0) << line << "\n" << ran.err;
  }
  const Ran part = run_tool({"simulate", "broadcast", "--size", "1GiB", "-m", large});
  EXPECT_TRUE(has(part.err, "Shown are the first ")) << part.err;
  const Ran all = run_tool({"simulate", "broadcast", "--size", "64KiB", "-m", large});
  EXPECT_TRUE(has(all.err, "by its steady state")) << all.err;
  // What cannot be simulated is predicted.
  const Ran refused = run_tool({"simulate", "allreduce", "--size", "1GiB", "-m", large});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(has(refused.err, "it is predicted to take ")) << refused.err;
}

}  // namespace
}  // namespace espalier
