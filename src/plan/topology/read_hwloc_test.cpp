#include <gtest/gtest.h>

#include <cstdlib>

#include "support/test_data.hpp"
#include "topology/readers.hpp"
#include "topology/writers.hpp"

namespace espalier::topology {
namespace {

using Names = std::vector<std::string>;

/// "machine > package > numa > core"
std::string hwloc_levels(const Machine& machine) {
  std::string text;
  for (const LevelName& level : machine.levels()) text += level.channel + " > ";
  return text + machine.levels().back().members;
}

Names describe_hwloc(const Machine& machine) {
  Names names;
  for (Rank r = 0; r < machine.size(); ++r) names.push_back(machine.describe(r));
  return names;
}

LoadedMachine read_hwloc_text(const std::string& name) {
  auto loaded = read_hwloc(test_data("hwloc/" + name), name);
  if (!loaded) ADD_FAILURE() << loaded.error();
  return *std::move(loaded);
}

/// A machine of hwloc 2 around `objects`.
std::string topology(const std::string& objects, const std::string& attributes = "") {
  return "<topology version=\"2.0\">\n<object type=\"Machine\" " + attributes + ">\n" + objects +
         "\n</object></topology>\n";
}

std::string core(int number) {
  return "<object type=\"Core\"><object type=\"PU\" os_index=\"" + std::to_string(number) +
         "\"/></object>";
}

std::string object(const std::string& type, const std::string& inside) {
  return "<object type=\"" + type + "\">" + inside + "</object>";
}

TEST(ReadHwloc, GivesPackagesNumaNodesAndCoresOfATwoSocketNode) {
  const LoadedMachine loaded = read_hwloc_text("two_packages_four_numa.xml");
  EXPECT_EQ(loaded.machine.size(), 16u);
  EXPECT_EQ(hwloc_levels(loaded.machine), "machine > package > numa > core");
  EXPECT_EQ(loaded.machine.describe(0), "package0.numa0.core0");
  EXPECT_EQ(loaded.machine.describe(15), "package1.numa3.core15");
  EXPECT_EQ(loaded.machine.path(0, 3).level, 2u);
  EXPECT_EQ(loaded.machine.path(0, 4).level, 1u);
  EXPECT_EQ(loaded.machine.path(0, 8).level, 0u);
}

TEST(ReadHwloc, ReadsVersionOneAsTheSameMachine) {
  EXPECT_EQ(read_hwloc_text("two_packages_four_numa_v1.xml").machine,
            read_hwloc_text("two_packages_four_numa.xml").machine);
}

TEST(ReadHwloc, GivesALaptopOneLevel) {
  const LoadedMachine loaded = read_hwloc_text("laptop.xml");
  EXPECT_EQ(hwloc_levels(loaded.machine), "machine > core");
  EXPECT_EQ(describe_hwloc(loaded.machine), (Names{"core0", "core1", "core2", "core3"}));
}

TEST(ReadHwloc, KeepsTheSizesOfAnUnevenNode) {
  const Machine machine = read_hwloc_text("uneven.xml").machine;
  EXPECT_EQ(hwloc_levels(machine), "machine > package > numa > core");
  std::vector<std::uint32_t> sizes;
  for (const Cluster& cluster : machine.clusters()) {
    if (cluster.depth == 2) sizes.push_back(cluster.leaf_count);
  }
  EXPECT_EQ(sizes, (std::vector<std::uint32_t>{4, 2, 2, 4}));
}

TEST(ReadHwloc, LeavesOutCoresThatAreNotAllowed) {
  const LoadedMachine loaded =
      read_hwloc_text("some_disallowed.xml");  // cores 0, 6 and 7 are not allowed
  EXPECT_EQ(hwloc_levels(loaded.machine), "machine > package > core");
  EXPECT_EQ(loaded.machine.size(), 5u);
  EXPECT_EQ(loaded.machine.clusters()[1].leaf_count, 3u);
  EXPECT_EQ(loaded.notes.back(), "3 cores left out: offline or not allowed");
}

TEST(ReadHwloc, LeavesOutOfflineCoresOfVersionOne) {
  const auto loaded = read_hwloc(
      "<topology><object type='System' cpuset='0x7' online_cpuset='0x5' allowed_cpuset='0x7'>" +
          core(0) + core(1) + core(2) + "</object></topology>",
      "f");
  ASSERT_TRUE(loaded) << loaded.error();
  EXPECT_EQ(loaded->machine.size(), 2u);
}

TEST(ReadHwloc, KeepsACoreThatHasOneAllowedThreadLeft) {
  const auto loaded = read_hwloc(
      topology(object("Core", "<object type='PU' os_index='0'/><object type='PU' os_index='1'/>") +
                   core(2),
               "allowed_cpuset='0x6'"),
      "f");
  ASSERT_TRUE(loaded) << loaded.error();
  EXPECT_EQ(loaded->machine.size(), 2u);
}

TEST(ReadHwloc, CountsAThreadOutsideOfAnyCoreAsOne) {
  const auto loaded =
      read_hwloc(topology("<object type='PU' os_index='0'/><object type='PU' os_index='5'/>"), "f");
  ASSERT_TRUE(loaded) << loaded.error();
  EXPECT_EQ(loaded->machine.size(), 2u);
}

TEST(ReadHwloc, SaysThatThereAreNoFiguresAndThatThreadsShareCores) {
  const LoadedMachine loaded = read_hwloc_text("laptop.xml");
  ASSERT_EQ(loaded.notes.size(), 2u);
  EXPECT_EQ(loaded.notes[0], "hwloc gives no latencies or bandwidths");
  EXPECT_EQ(loaded.notes[1], "one process a core: 8 hardware threads share 4 cores");
  EXPECT_EQ(loaded.machine.path(0, 1), (Path{0, Time{0}, kUnlimited}));
}

TEST(ReadHwloc, KeepsACacheThatOnlySomeCoresShare) {
  // Two fast cores with an L2 each and four slow ones around one.
  const auto loaded = read_hwloc(
      topology(object("Package", object("L2Cache", core(0)) + object("L2Cache", core(1)) +
                                     object("L2Cache", core(2) + core(3) + core(4) + core(5)))),
      "f");
  ASSERT_TRUE(loaded) << loaded.error();
  EXPECT_EQ(hwloc_levels(loaded->machine), "machine > l2 > core");
  EXPECT_EQ(loaded->machine.path(2, 5).level, 1u);
  EXPECT_EQ(loaded->machine.path(1, 2).level, 0u);
}

TEST(ReadHwloc, MakesNoNumaLevelOfMemoryThatAllCoresShare) {
  const std::string memory = "<object type='NUMANode' os_index='0'/>";
  const auto loaded = read_hwloc(topology(memory + memory + object("Package", core(0) + core(1)) +
                                          object("Package", core(2) + core(3))),
                                 "f");
  ASSERT_TRUE(loaded) << loaded.error();
  EXPECT_EQ(hwloc_levels(loaded->machine), "machine > package > core");
}

TEST(ReadHwloc, TakesTheSmallestNumaDomainsWhereTheyNest) {
  // Memory of its own in each half of a package, and more that both halves reach.
  const std::string memory = "<object type='NUMANode' os_index='0'/>";
  const auto loaded = read_hwloc(
      topology(object("Package", memory + object("Group", memory + core(0) + core(1)) +
                                     object("Group", object("MemCache", memory) + core(2)))),
      "f");
  ASSERT_TRUE(loaded) << loaded.error();
  EXPECT_EQ(hwloc_levels(loaded->machine), "machine > numa > core");
}

TEST(ReadHwloc, ReadsGroupsInsideOfGroups) {
  const auto pair = [](int first) { return object("Group", core(first) + core(first + 1)); };
  const auto loaded = read_hwloc(
      topology(object("Group", pair(0) + pair(2)) + object("Group", pair(4) + pair(6))), "f");
  ASSERT_TRUE(loaded) << loaded.error();
  EXPECT_EQ(hwloc_levels(loaded->machine), "machine > group > subgroup > core");
}

TEST(ReadHwloc, CallsTheMachineByItsHostName) {
  const auto loaded = read_hwloc(topology("<info name='HostName' value='node17'/>" + core(0)), "f");
  ASSERT_TRUE(loaded) << loaded.error();
  EXPECT_EQ(loaded->machine.name(), "node17");
}

TEST(ReadHwloc, PassesOverDevices) {
  const auto loaded =
      read_hwloc(topology(core(0) + object("Bridge", object("PCIDev", object("OSDev", ""))) +
                          object("Misc", "")),
                 "f");
  ASSERT_TRUE(loaded) << loaded.error();
  EXPECT_EQ(loaded->machine.size(), 1u);
}

TEST(ReadHwloc, GivesMachinesThatOurOwnFormatHoldsExactly) {
  for (const char* name : {"two_packages_four_numa.xml", "laptop.xml", "uneven.xml"}) {
    const Machine machine = read_hwloc_text(name).machine;
    const auto again = read_json(write_json(machine), "f");
    ASSERT_TRUE(again) << again.error();
    EXPECT_EQ(*again, machine) << name;
  }
}

struct HwlocRefusal {
  std::string text;
  std::string where;
  std::string what;  // part of it
};

TEST(ReadHwloc, RefusesWithTheLineAndWhatWasFound) {
  const std::string deep_open = [] {
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += "<object type='Group'>";
    return text;
  }();
  const std::vector<HwlocRefusal> refusals = {
      {"", "f:1", "not well-formed"},
      {"<topology>\n<object>\n</topology>", "f:3", "not well-formed"},
      {"\n<platform version=\"4.1\"/>", "f:2", "<platform>"},
      {"<topology version=\"2.0\"/>", "f:1", "exactly one object"},
      {"<topology>\n<object type=\"Package\"/></topology>", "f:2", "exactly one object"},
      {"<topology><object type='Machine'/>\n<object type='Machine'/></topology>", "f:1",
       "exactly one object"},
      {topology(""), "f:2", "no core"},
      {topology(object("Core", "")), "f:3", "without a PU"},
      {topology("\n" + object("Blob", core(0))), "f:4", "\"Blob\""},
      {topology("\n" + object("L9Cache", core(0))), "f:4", "\"L9Cache\""},
      {topology("<object/>"), "f:3", "type \"\""},
      {topology(core(0) + "\n" + core(0)), "f:4", "two PUs"},
      {topology("<object type='PU'/>"), "f:3", "os_index \"\""},
      {topology("<object type='PU' os_index='1x'/>"), "f:3", "os_index \"1x\""},
      {topology("<object type='PU' os_index='99999999999'/>"), "f:3", "os_index"},
      {topology(core(0), "allowed_cpuset='all'"), "f:2", "allowed_cpuset=\"all\""},
      {topology(core(0), "cpuset=',0x1'"), "f:2", "not a set of CPUs"},
      {topology(core(0), "cpuset='0x2'"), "f:2", "1 offline or not allowed"},
      {topology(object("Package", object("Package", core(0)))), "f:3", "inside"},
      {topology(deep_open), "f:4", "not well-formed"},
      {topology(deep_open +
                [] {
                  std::string text;
                  for (int i = 0; i < 100'000; ++i) text += "</object>";
                  return text;
                }()),
       "f:3", "deeper"},
      {topology("<info name='HostName' value='a&#1;b'/>" + core(0)), "f:2", "control"},
  };
  for (const HwlocRefusal& refusal : refusals) {
    const auto loaded = read_hwloc(refusal.text, "f");
    ASSERT_FALSE(loaded) << refusal.text.substr(0, 200);
    EXPECT_EQ(loaded.error().where, refusal.where) << loaded.error();
    EXPECT_NE(loaded.error().what.find(refusal.what), std::string::npos) << loaded.error();
    EXPECT_FALSE(loaded.error().hint.empty()) << loaded.error();
  }
}

TEST(DiscoverLocalNode, FindsAtLeastOneCoreHere) {
  const auto loaded = discover_local_node();
  ASSERT_TRUE(loaded) << loaded.error();
  EXPECT_GE(loaded->machine.size(), 1u);
}

TEST(DiscoverLocalNode, ObeysTheVariablesOfHwloc) {
  ::setenv("HWLOC_SYNTHETIC", "pack:2 core:3 pu:2", 1);
  const auto loaded = discover_local_node();
  ::unsetenv("HWLOC_SYNTHETIC");
  ASSERT_TRUE(loaded) << loaded.error();
  EXPECT_EQ(loaded->machine.size(), 6u);
  EXPECT_EQ(hwloc_levels(loaded->machine), "machine > package > core");
}

}  // namespace
}  // namespace espalier::topology
