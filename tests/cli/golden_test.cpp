#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "cli/run_tool.hpp"

namespace espalier {
namespace {

/// What the tool prints for a machine, word for word. ESPALIER_UPDATE_GOLDEN=1 writes the files
/// anew; the diff then shows the change of behaviour.
void expect_golden(const std::string& name, const std::vector<std::string>& arguments) {
  const std::string path = std::string(ESPALIER_SOURCE_DIR) + "/tests/golden/" + name;
  const Ran ran = run_tool(arguments);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  if (std::getenv("ESPALIER_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << ran.out;
    return;
  }
  std::ifstream in(path, std::ios::binary);
  ASSERT_TRUE(in.good()) << path << " is missing; write it with ESPALIER_UPDATE_GOLDEN=1";
  std::ostringstream expected;
  expected << in.rdbuf();
  EXPECT_EQ(ran.out, expected.str());
}

const std::string kGrid = "site:2(30ms,100Mbit/s) machine:1|2(500us,1Gbit/s) proc:4(5us)";
const std::string kThreeSites =
    "site:3(30ms,100Mbit/s,cap=52Mbit/s) node:4(50us,1Gbit/s,backbone=10Gbit/s) proc:16(1us)";
/// banikazemi1998, Figure 1.
const std::string kFigure1 = "proc:8(send=100us|300us*4|100us|300us*2)";

TEST(Golden, ShowDrawsTheGrid) { expect_golden("show_grid.txt", {"show", kGrid, "--ranks"}); }

TEST(Golden, ShowFoldsThreeSitesInto80Columns) {
  expect_golden("show_three_sites.txt", {"show", kThreeSites, "--width", "80"});
}

TEST(Golden, ShowFoldsALargeMachine) {
  expect_golden("show_large.txt",
                {"show", "rack:64(50us,10Gbit/s) node:32(5us,1Gbit/s) proc:64(1us)"});
}

TEST(Golden, ShowDrawsTheGridAsSvg) {
  expect_golden("show_grid.svg", {"show", kGrid, "--svg", "-"});
}

TEST(Golden, TreeDrawsFigure1) {
  expect_golden("tree_figure1.txt",
                {"tree", "-a", "fnf", "-m", kFigure1, "--model", "node-initiation"});
}

TEST(Golden, TreeWritesFigure1AsJson) {
  expect_golden("tree_figure1.json",
                {"tree", "-a", "fnf", "-m", kFigure1, "--model", "node-initiation", "--json"});
}

TEST(Golden, TreeWritesFigure1ForGraphviz) {
  expect_golden("tree_figure1.dot",
                {"tree", "-a", "fnf", "-m", kFigure1, "--model", "node-initiation", "--dot"});
}

TEST(Golden, TreeDrawsAMulticastInto80Columns) {
  expect_golden("tree_multicast.txt",
                {"tree", "-a", "fnf", "-m", kFigure1, "--model", "node-initiation", "--root", "5",
                 "--to", "1,3,6-7", "--width", "80"});
}

TEST(Golden, TreeDrawsAReduction) {
  expect_golden("tree_reduce.txt", {"tree", "-a", "fnf", "-m", "proc:6(recv=100us|300us*5)",
                                    "--model", "lmo", "--operation", "reduce"});
}

const std::string kCostlyGrid =
    "site:2(30ms,100Mbit/s) machine:1|2(500us,1Gbit/s) proc:4(5us,10Gbit/s,send=1us,recv=1us)";
/// Slow enough at combining to see it.
const std::string kNodes =
    "node:4(20us,1Gbit/s) proc:2(5us,10Gbit/s,send=5us,recv=5us,reduce=1Gbit/s)";

// With plans that are named: which one is chosen is not what is looked at here.
TEST(Golden, SimulateShowsALateRank) {
  expect_golden("simulate_late.txt", {"simulate", "barrier", "-m", kCostlyGrid, "--algorithm",
                                      "dissemination", "--skew", "5ms@3"});
}

TEST(Golden, SimulateShowsARingIn80Columns) {
  expect_golden("simulate_ring.txt", {"simulate", "allreduce", "-m", kNodes, "--size", "16KiB",
                                      "--algorithm", "ring", "--width", "80"});
}

TEST(Golden, SimulateDrawsARing) {
  expect_golden("simulate_ring.svg", {"simulate", "allreduce", "-m", kNodes, "--size", "16KiB",
                                      "--algorithm", "ring", "--svg", "-"});
}

TEST(Golden, SimulateWritesABroadcastAsJson) {
  expect_golden("simulate_broadcast.json", {"simulate", "broadcast", "-m", kNodes, "--size", "64",
                                            "--algorithm", "binomial", "--json"});
}

}  // namespace
}  // namespace espalier
