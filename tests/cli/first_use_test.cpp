// What somebody who uses the tool for the first time tries: machines and placements. See also
// bad_inputs.table.
#include "cli/first_use.hpp"

#include <gtest/gtest.h>

#include <map>

namespace espalier {
namespace {

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

TEST(FirstUse, NoPredictionIsZero) {
  const std::string hosts = first_file("hosts4", "n1 slots=4\n");
  const std::string silent = first_file("silent", "0 0\n0 0\n");
  const Ran ran = succeeded({"place", "--profile", silent, "--inventory", hosts});
  EXPECT_TRUE(has(ran.out, "every placement is as good")) << ran.out;
  EXPECT_FALSE(has(ran.out, "x as fast")) << ran.out;
}

}  // namespace
}  // namespace espalier
