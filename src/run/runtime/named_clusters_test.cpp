#include "runtime/named_clusters.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace espalier::runtime {
namespace {

using Texts = std::vector<std::string>;

topology::Machine machine_of(const Texts& texts, const std::vector<int>& leaders) {
  auto machine = machine_of_clusters(texts, leaders);
  EXPECT_TRUE(machine) << machine.error();
  return *machine;
}

std::string refusal(const Texts& texts) {
  const auto machine = machine_of_clusters(texts, std::vector<int>(texts.size(), 0));
  EXPECT_FALSE(machine);
  return machine ? "" : to_string(machine.error());
}

TEST(NamedClusters, AreLevelsOfTheMachine) {
  // Figures 1 and 2 of karonis2000, smaller: one machine at one site, two at the other.
  const topology::Machine machine =
      machine_of({"sdsc/sp2", "sdsc/sp2", "ncsa/o2ka", "ncsa/o2kb", "ncsa/o2kb", "sdsc/sp2"},
                 {0, 0, 2, 3, 3, 5});
  EXPECT_EQ(machine.size(), 6U);
  EXPECT_EQ(machine.levels().size(), 4U);  // sites, machines, nodes, processes
  EXPECT_EQ(machine.path(0, 2).level, 0U);
  EXPECT_EQ(machine.path(2, 3).level, 1U);
  EXPECT_EQ(machine.path(0, 5).level, 2U);  // two nodes of one machine
  EXPECT_EQ(machine.path(3, 4).level, 3U);
  EXPECT_GT(machine.path(0, 2).latency, machine.path(2, 3).latency);
  EXPECT_GT(machine.path(2, 3).latency, machine.path(0, 1).latency);
}

TEST(NamedClusters, MayHaveDifferentDepths) {
  const topology::Machine machine = machine_of({"anl", "ncsa/o2ka", "ncsa/o2kb"}, {0, 1, 2});
  EXPECT_EQ(machine.depth(0), 3U);
  EXPECT_EQ(machine.depth(1), 4U);
  EXPECT_EQ(machine.path(1, 2).level, 1U);
}

TEST(NamedClusters, TheSameNameInTwoClustersIsTwoClusters) {
  const topology::Machine machine = machine_of({"a/x", "b/x"}, {0, 1});
  EXPECT_EQ(machine.path(0, 1).level, 0U);
}

TEST(NamedClusters, BlanksAroundNamesDoNotCount) {
  EXPECT_EQ(*clusters_from(" a / b c \n"), (Texts{"a", "b c"}));
}

TEST(NamedClusters, SayWhichRankIsWrong) {
  EXPECT_NE(refusal({"a", "", "a", ""}).find("2 of 4 processes name no clusters, rank 1"),
            std::string::npos);
  EXPECT_NE(refusal({"a", "a//b"}).find("rank 1: \"a//b\" has an empty name"), std::string::npos);
  EXPECT_NE(refusal({"a[0]"}).find("rank 0"), std::string::npos);
  EXPECT_NE(refusal({"a/b/c/d/e/f/g/h/i"}).find("9 clusters"), std::string::npos);
  EXPECT_NE(refusal({std::string(300, 'a')}).find("300 characters"), std::string::npos);
  EXPECT_NE(refusal({"a", "\n"}).find("rank 1"), std::string::npos);
}

TEST(NamedClusters, MayStandInAFileOfTheHost) {
  const auto path = std::filesystem::path(testing::TempDir()) / "espalier_clusters";
  std::ofstream(path) << "anl/sp2\nmore\n";
  EXPECT_EQ(cluster_text("@" + path.string()), "anl/sp2");
  EXPECT_EQ(cluster_text("anl/sp2"), "anl/sp2");
  EXPECT_EQ(clusters_from(cluster_text("@/nowhere/clusters")).error().what,
            "/nowhere/clusters cannot be read");
  std::ofstream(path, std::ios::trunc) << "";
  EXPECT_EQ(clusters_from(cluster_text("@" + path.string())).error().what, "an empty file");
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace espalier::runtime
