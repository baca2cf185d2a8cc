// What somebody who uses the tool for the first time tries: see also bad_inputs.table.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "cli/run_tool.hpp"

namespace espalier {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

const std::string kFirstGrid = "site:2(10ms,1Gbit/s) node:2(50us,10Gbit/s) proc:4(500ns)";

std::string first_file(const std::string& name, const std::string& text) {
  const auto path = std::filesystem::path(testing::TempDir()) / ("first_use_" + name);
  std::ofstream(path) << text;
  return path.string();
}

Ran succeeded(const Words& words) {
  Ran ran = run_tool(words);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  return ran;
}

bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

TEST(FirstUse, AMachineWithoutFiguresGetsThoseOfAnOrdinaryClusterAndIsToldSo) {
  for (const Words& words : {Words{"plan", "broadcast", "-m", "node:2 proc:4"},
                             Words{"simulate", "barrier", "-m", "node:2 proc:4"},
                             Words{"compare", "-m", "node:2 proc:4"},
                             Words{"tree", "-a", "fnf", "-m", "node:2 proc:4"}}) {
    const Ran ran = succeeded(words);
    EXPECT_TRUE(has(ran.err, "node 50 us and 10 Gbit/s, proc 500 ns")) << ran.err;
    EXPECT_FALSE(has(ran.out, " 0 s predicted")) << ran.out;
    EXPECT_FALSE(has(ran.out, " 0 s simulated")) << ran.out;
  }
  EXPECT_EQ(succeeded({"show", "node:2 proc:4"}).err, "");  // what is described is shown
}

TEST(FirstUse, AHostfileHasNearAndFarProcesses) {
  const std::string hosts = first_file("hosts", "n1 slots=2\nn2 slots=2\nn3 slots=2\nn4 slots=2\n");
  // Ranks 0 and 4 talk, and 1 and 5, and so on: listed in order, every pair would be split.
  const std::string profile =
      first_file("pairs",
                 "from,to,messages,bytes\n0,4,100,1000000\n1,5,100,1000000\n2,6,100,1000000\n"
                 "3,7,100,1000000\n");
  const Ran ran = succeeded({"place", "--profile", profile, "--inventory", hosts, "--json"});
  EXPECT_TRUE(has(ran.err, "ordinary cluster")) << ran.err;
  const Json json = Json::parse(ran.out);
  EXPECT_GT(json["gain"].get<double>(), 2);
  std::map<int, std::string> host_of;
  for (const Json& rank : json["ranks"]) host_of[rank["rank"]] = rank["host"];
  for (int p = 0; p < 4; ++p) EXPECT_EQ(host_of[p], host_of[p + 4]) << p;
}

TEST(FirstUse, HostsOfAHostfileAreInNoClusters) {
  const std::string hosts = first_file("hosts2", "n1 slots=2\nn2 slots=2\n");
  const std::string profile =
      first_file("pairs2", "from,to,messages,bytes\n0,2,9,900\n1,3,9,900\n");
  const Ran ran = succeeded({"place", "--profile", profile, "--inventory", hosts});
  EXPECT_TRUE(has(ran.out, "leave their host; placed as listed 100.0 % would")) << ran.out;
  EXPECT_TRUE(has(ran.out, "\n  Of all bytes 0.0 % leave their host; placed as listed 100.0 %"))
      << ran.out;
  EXPECT_TRUE(has(ran.out, "the replay of the profile predicts the shortest time")) << ran.out;
  EXPECT_FALSE(has(ran.out, "4 slots on 2 hosts")) << ran.out;  // steps of another placement
  EXPECT_TRUE(has(ran.out, "; links are assumed, see the note")) << ran.out;
  EXPECT_TRUE(has(ran.err, "hosts2: note: it has no latencies")) << ran.err;
  const Ran full =
      succeeded({"place", "--profile", profile, "--inventory", hosts, "--policy", "full"});
  EXPECT_TRUE(has(full.out, "4 slots on 2 hosts")) << full.out;
  EXPECT_TRUE(has(full.out, "6 assigned in order: n1: 0 1; n2: 2 3")) << full.out;
  EXPECT_FALSE(has(ran.out, "leave their cluster")) << ran.out;
  EXPECT_FALSE(has(ran.out, "between clusters")) << ran.out;
}

TEST(FirstUse, DrawingsHaveBytesOfOneStyle) {
  const Words drawn{"simulate", "allgather", "-m", kFirstGrid, "--size", "1230", "--svg", "-"};
  const std::string svg = succeeded(drawn).out;
  const std::regex bytes("messages?, ([0-9.]+) ([kMGKi]*B)\\)");
  std::size_t levels = 0;
  for (std::sregex_iterator it(svg.begin(), svg.end(), bytes), end; it != end; ++it, ++levels) {
    EXPECT_TRUE((*it)[2] == "kB" || (*it)[2] == "MB") << it->str();
  }
  EXPECT_EQ(levels, 3U) << svg;
}

TEST(FirstUse, EachPairIsNamedWithItsLatency) {
  const std::string machine = first_file("named_pairs.json",
                                         R"({"format": "espalier-machine-1",
          "levels": [{"members": "site", "latency": "25 ms"}, {"members": "proc", "latency": "1 us"}],
          "pairs": [{"between": ["Paris", "Nice"], "latency": "18 ms"}],
          "children": [{"name": "Paris", "processes": 2}, {"name": "Nice", "processes": 2}]})");
  const Ran ran = succeeded({"show", machine});
  EXPECT_TRUE(has(ran.out, "\nParis - Nice    18 ms\n")) << ran.out;
}

TEST(FirstUse, APlaceThatTheMachineNamesIsARoot) {
  const auto root = [](const std::string& named) {
    const Ran ran = succeeded({"plan", "broadcast", "-m", kFirstGrid, "--root", named, "--json"});
    return Json::parse(ran.out)["root"].get<int>();
  };
  EXPECT_EQ(root("site1"), 8);
  EXPECT_EQ(root("site1.node1"), 12);
  EXPECT_EQ(root("site1.node1.2"), 14);
  const Ran other = run_tool({"plan", "broadcast", "-m", kFirstGrid, "--root", "site2"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_TRUE(has(other.err, "\"site2\" is not a rank")) << other.err;
  EXPECT_TRUE(has(other.err, "or a place such as site0.node0.0")) << other.err;
  const Ran tree = succeeded({"tree", "-a", "fnf", "-m", kFirstGrid, "--root", "site1"});
  EXPECT_TRUE(has(tree.out, "8")) << tree.out;
}

TEST(FirstUse, IdleHostsAreTheLastOfThoseThatAreAlike) {
  const std::string hosts = first_file("hosts5", "n1 slots=2\nn2 slots=2\nn3 slots=2\n");
  const std::string profile =
      first_file("pairs5", "from,to,messages,bytes\n0,2,9,900\n1,3,9,900\n");
  const Ran ran = succeeded({"place", "--profile", profile, "--inventory", hosts});
  EXPECT_TRUE(has(ran.out, "n1[0 2] n2[1 3] (1 host idle)")) << ran.out;
  const Words drawn{"place", "--profile", profile, "-i", hosts, "--policy", "none", "--svg", "-"};
  const std::string svg = succeeded(drawn).out;
  EXPECT_TRUE(has(svg, "the widest line carries 900 B")) << svg;
  EXPECT_FALSE(has(svg, "between hosts of a cluster")) << svg;  // there are no clusters
  const std::string more =
      first_file("pairs6", "from,to,messages,bytes\n0,2,9,544640\n1,3,9,544640\n");
  const Words long_numbers{"place",    "--profile", more,    "-i", hosts,
                           "--policy", "none",      "--svg", "-"};
  EXPECT_TRUE(has(succeeded(long_numbers).out, "carries 544.6 kB"));
}

TEST(FirstUse, ALevelWithoutALatencyBesideOthersIsNotFree) {
  const Ran ran = succeeded({"plan", "broadcast", "-m", "site:2(30ms,1Gbit/s) proc:4", "--json"});
  EXPECT_TRUE(
      has(ran.err, "a level has no latency; that of an ordinary cluster is assumed: proc 500 ns"))
      << ran.err;
  EXPECT_GT(Json::parse(ran.out)["predicted_ps"].get<std::int64_t>(), 30'000'500'000);
}

// 1 GiB took 500 ns there, since no bandwidth was assumed.
TEST(FirstUse, BytesInsideOfAnAssumedNodeTakeTime) {
  for (const char* line : {"proc:4", "node:2(50us,10Gbit/s) proc:4", "node:1 proc:4"}) {
    const Ran ran = succeeded({"plan", "broadcast", "-m", line, "-s", "1GiB", "--json"});
    EXPECT_GT(Json::parse(ran.out)["predicted_ps"].get<std::int64_t>(), 100'000'000'000) << line;
    EXPECT_TRUE(has(ran.err, "proc 500 ns and 40 Gbit/s")) << ran.err;
  }
}

TEST(FirstUse, ALatencyOfZeroIsTakenAsGiven) {
  const Ran ran = succeeded({"plan", "barrier", "-m", "node:2(50us) proc:4(0s)"});
  EXPECT_EQ(ran.err, "");
  EXPECT_TRUE(has(ran.out, "50 us predicted")) << ran.out;
  const std::string file = first_file(
      "zero.json",
      R"({"format": "espalier-machine-1", "processes": 4, "levels": [{"latency": "0s"}]})");
  EXPECT_EQ(succeeded({"plan", "barrier", "-m", file}).err, "");
  EXPECT_FALSE(has(succeeded({"plan", "barrier", "-m", "proc:4(0s)"}).out, " 0 s predicted"));
}

TEST(FirstUse, ALongTimeIsToldInDays) {
  const Words days{"plan", "broadcast", "-m", "proc:2(1s,1kbit/s)", "-s", "100MB"};
  EXPECT_TRUE(has(succeeded(days).out, "9.259 days predicted")) << succeeded(days).out;
  const Words years{"plan", "broadcast", "-m", "proc:2(1s,1bit/s)", "-s", "1GiB"};
  const std::string out = succeeded(years).out;
  EXPECT_TRUE(has(out, "more than 106 days predicted")) << out;
  EXPECT_FALSE(has(out, "forever")) << out;
}

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

// Whatever the page shows may come through a pipe, told apart by what is in it.
TEST(FirstUse, ViewReadsPipes) {
  if (run_tool({"view", "proc:2", "--html", "-"}).exit_code != 0) {
    GTEST_SKIP() << "this build has no page";
  }
  const std::string page = " --html - --operation barrier | grep -c '<!doctype html>' ";
  EXPECT_EQ(run_shell("echo 'proc:3(1us)' | \"$ESPALIER\" view -" + page).out, "1\n");
  EXPECT_EQ(run_shell("\"$ESPALIER\" view <(echo 'proc:3(1us)')" + page).out, "1\n");
  const std::string schedule = "\"$ESPALIER\" plan barrier -m 'proc:4(1us)' --schedule - ";
  const Ran piped = run_shell(schedule + "| \"$ESPALIER\" view - -m 'proc:4(1us)' --html -");
  EXPECT_EQ(piped.exit_code, 0) << piped.err;
  EXPECT_TRUE(has(piped.out, "from the file")) << piped.err;
  const std::string hosts = first_file("viewed_hosts", "n1 slots=2\nn2 slots=2\n");
  const Ran placed = run_shell("\"$ESPALIER\" place --profile lu.S -n 4 -i " + hosts +
                               " --json | \"$ESPALIER\" view - -m " + hosts + " --html - ");
  EXPECT_EQ(placed.exit_code, 0) << placed.err;
  EXPECT_TRUE(has(placed.out, "standard input")) << placed.err;
  const Ran twice = run_shell(schedule + "| \"$ESPALIER\" view - -m - --html -");
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_TRUE(has(twice.err, "it was read already")) << twice.err;
}

TEST(FirstUse, ExamplesOfMachinesHaveNamesAndAFileHereComesFirst) {
  EXPECT_TRUE(has(succeeded({"show", "three-machines"}).out, "48 processes"));
  EXPECT_TRUE(has(succeeded({"plan", "barrier", "-m", "hnow-8"}).out, "among 8 processes"));
  EXPECT_EQ(run_tool({"place", "--profile", "lu.S", "-n", "4", "-i", "hnow-8"}).exit_code, 0);
  const Ran mistyped = run_tool({"show", "three-machine"});
  EXPECT_EQ(mistyped.exit_code, 2);
  EXPECT_TRUE(has(mistyped.err, "did you mean \"three-machines\"")) << mistyped.err;
  const std::string folder = testing::TempDir() + "first_use_names";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/hnow-8") << "proc:3(1us)";
  EXPECT_TRUE(has(run_shell("cd " + folder + " && \"$ESPALIER\" show hnow-8").out, "3 processes"));
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

TEST(FirstUse, APlacementIsShownOnTheHostsThatItUses) {
  const std::string hosts = first_file("hosts3", "n1 slots=2\nn2 slots=2\nn3 slots=2\n");
  const std::string profile =
      first_file("pairs3", "from,to,messages,bytes\n0,2,9,900\n1,3,9,900\n");
  const std::string placement = first_file(
      "placement.json", succeeded({"place", "--profile", profile, "-i", hosts, "--json"}).out);
  const Ran page = run_tool({"view", placement, "-m", hosts, "-o", "barrier", "--html", "-"});
  if (has(page.err, "has no page")) GTEST_SKIP() << page.err;
  EXPECT_EQ(page.exit_code, 0) << page.err;
  EXPECT_TRUE(has(page.out, "\"processes\":4")) << page.out.substr(page.out.size() / 2, 400);
  const std::string fewer = first_file("hosts1", "n1 slots=1\nn2 slots=2\nn3 slots=1\n");
  EXPECT_EQ(run_tool({"view", placement, "-m", fewer, "--html", "-"}).exit_code, 2);
}

TEST(FirstUse, ExportMakesItsFolderAndNamesItsFilesInIt) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "first_use_export" / "in";
  std::filesystem::remove_all(folder.parent_path());
  const Ran ran = succeeded(
      {"export", "openmpi", "-m", "site:2(10ms,100Mbit/s) proc:2(1us)", "-o", folder.string()});
  EXPECT_TRUE(has(ran.out, "rules_filename " + (folder / "openmpi-rules.conf").string() +
                               " --rankfile " + (folder / "ranks.txt").string() + " ..."))
      << ran.out;
  EXPECT_TRUE(has(ran.out, "\npreload: ")) << ran.out;
  EXPECT_TRUE(has(ran.out, "\nnative: ")) << ran.out;
  EXPECT_TRUE(std::filesystem::exists(folder / "openmpi-rules.conf"));
  EXPECT_TRUE(std::filesystem::exists(folder / "ranks.txt"));
  std::filesystem::remove_all(folder.parent_path());
}

TEST(FirstUse, NoPredictionIsZero) {
  const std::string hosts = first_file("hosts4", "n1 slots=4\n");
  const std::string silent = first_file("silent", "0 0\n0 0\n");
  const Ran ran = succeeded({"place", "--profile", silent, "--inventory", hosts});
  EXPECT_TRUE(has(ran.out, "every placement is as good")) << ran.out;
  EXPECT_FALSE(has(ran.out, "x as fast")) << ran.out;
}

TEST(FirstUse, StandardInputPipesAndSubstitutionsAreFiles) {
  const std::string machine = "echo '" + kFirstGrid + "' | \"$ESPALIER\" ";
  const std::string direct = succeeded({"show", kFirstGrid}).out;
  EXPECT_EQ(run_shell(machine + "show -").out, direct);
  EXPECT_EQ(run_shell(machine + "show /dev/stdin").out, direct);
  EXPECT_EQ(run_shell("\"$ESPALIER\" show <(echo '" + kFirstGrid + "')").out, direct);
  const std::string file = first_file("schedule.json", "");
  (void)succeeded({"plan", "broadcast", "-m", kFirstGrid, "--schedule", file});
  for (const char* how : {"cat {} | \"$ESPALIER\" verify -", "\"$ESPALIER\" verify <(cat {})",
                          "\"$ESPALIER\" convert - --to goal <{}",
                          "cat {} | \"$ESPALIER\" simulate --schedule - -m 'proc:16(1us)'"}) {
    std::string line = how;
    line.replace(line.find("{}"), 2, file);
    const Ran ran = run_shell(line);
    EXPECT_EQ(ran.exit_code, 0) << line << "\n" << ran.err;
  }
  for (const char* line :
       {"printf '0 9\\n9 0\\n' | \"$ESPALIER\" profile show -",
        "printf 'n1 slots=4\\n' | \"$ESPALIER\" place --profile lu.W -n 4 -i -",
        "\"$ESPALIER\" place --profile lu.W -n 4 -i <(echo 'node:2(5us) proc:2(1us)')",
        "printf '1 2 3 4' | \"$ESPALIER\" plan scatterv -m 'proc:4(5us)' --counts -",
        "\"$ESPALIER\" plan scatterv -m 'proc:4(5us)' --counts <(echo 1 2 3 4)"}) {
    const Ran ran = run_shell(line);
    EXPECT_EQ(ran.exit_code, 0) << line << "\n" << ran.err;
  }
}

TEST(FirstUse, TracesComeThroughPipesToo) {
  const std::string file = std::string(ESPALIER_SOURCE_DIR) + "/tests/data/trace/three-calls.trace";
  EXPECT_EQ(run_shell("\"$ESPALIER\" trace - < " + file).out, succeeded({"trace", file}).out);
}

TEST(FirstUse, TheFirstCallAlongAPlanIsNotTheLargestDifferenceOfATrace) {
  const std::string out =
      succeeded({"trace", std::string(ESPALIER_SOURCE_DIR) + "/tests/data/trace/three-calls.trace"})
          .out;
  // Call 0 is the only broadcast; 1 and 2 are allreduces along one plan.
  EXPECT_TRUE(has(out, "\nlargest difference: call 0, ")) << out;
  EXPECT_TRUE(has(out, "which opens connections: call 1, ")) << out;
  EXPECT_TRUE(has(out, "native calls are not in a trace")) << out;
}

TEST(FirstUse, AByteOrderMarkIsNoError) {
  const std::string file =
      first_file("marked", "\xef\xbb\xbf" + succeeded({"show", kFirstGrid, "--json"}).out);
  EXPECT_EQ(succeeded({"show", file}).out, succeeded({"show", kFirstGrid}).out);
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

TEST(FirstUse, ADrawingInAFileDoesNotSilenceTheText) {
  const std::string file = first_file("drawing.svg", "");
  for (const Words& words :
       {Words{"show", kFirstGrid}, Words{"compare", "-m", kFirstGrid},
        Words{"plan", "barrier", "-m", kFirstGrid}, Words{"simulate", "barrier", "-m", kFirstGrid},
        Words{"profile", "show", "lu.W"}, Words{"group", "simulate", "-n", "64"}}) {
    Words drawn = words;
    drawn.insert(drawn.end(), {"--svg", file});
    EXPECT_EQ(succeeded(drawn).out, succeeded(words).out) << words[0];
  }
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
