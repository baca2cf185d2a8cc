#include <gtest/gtest.h>

#include <algorithm>

#include "base/contract.hpp"
#include "base/random.hpp"
#include "support/for_all_seeds.hpp"
#include "topology/machine_spec.hpp"
#include "topology/readers.hpp"
#include "topology/writers.hpp"

namespace espalier::topology {
namespace {

using Names = std::vector<std::string>;

/// "switch0 > switch1 > node"
std::string levels_of(const Machine& machine) {
  std::string text;
  for (const LevelName& level : machine.levels()) text += level.channel + " > ";
  return text + machine.levels().back().members;
}

Names describe_all(const Machine& machine) {
  Names names;
  for (Rank r = 0; r < machine.size(); ++r) names.push_back(machine.describe(r));
  return names;
}

LoadedMachine read(const std::string& text, std::uint32_t processes_per_node = 1) {
  auto loaded = read_slurm_topology(text, "topology.conf", processes_per_node);
  if (!loaded) ADD_FAILURE() << loaded.error();
  return *std::move(loaded);
}

// The example of Slurm's manual page topology.conf(5).
constexpr const char* kManualTree = R"(##########
# Slurm's network topology configuration file for use with the topology/tree plugin
##########
SwitchName=s0 Nodes=dev[0-5]
SwitchName=s1 Nodes=dev[6-11]
SwitchName=s2 Nodes=dev[12-17]
SwitchName=s3 Switches=s[0-2]
)";

TEST(ReadSlurmTopology, ReadsTheTreeOfTheManualPage) {
  const LoadedMachine loaded = read(kManualTree);
  EXPECT_EQ(loaded.machine.size(), 18u);
  EXPECT_EQ(levels_of(loaded.machine), "switch0 > switch1 > node");
  EXPECT_EQ(loaded.machine.name(), "s3");
  EXPECT_EQ(loaded.machine.describe(7), "s1.dev7");
  EXPECT_EQ(loaded.machine.path(0, 5).level, 1u);
  EXPECT_EQ(loaded.machine.path(5, 6).level, 0u);
  EXPECT_EQ(loaded.notes, (Names{"topology.conf gives no latencies or bandwidths"}));
}

// As topology.conf(5) says: a job of 120 nodes gets four blocks of 32 that lie side by side.
TEST(ReadSlurmTopology, JoinsConsecutiveBlocksByBlockSizes) {
  const Machine machine = read(
                              "BlockName=b1 Nodes=n[1-32]\nBlockName=b2 Nodes=n[33-64]\n"
                              "BlockName=b3 Nodes=n[65-96]\nBlockName=b4 Nodes=n[97-128]\n"
                              "BlockName=b5 Nodes=n[129-160]\nBlockSizes=30,60,120,240\n")
                              .machine;
  EXPECT_EQ(machine.size(), 160u);
  EXPECT_EQ(levels_of(machine), "network > blocks-of-120 > blocks-of-60 > block > node");
  EXPECT_EQ(machine.path(0, 32).level, 2u);
  EXPECT_EQ(machine.path(0, 64).level, 1u);
  EXPECT_EQ(machine.path(0, 128).level, 0u);
}

TEST(ReadSlurmTopology, ReadsTheBlocksOfTheManualPageAsOneRow) {
  const Machine machine = read(
                              "BlockName=block1 Nodes=node[1-32]\nBlockName=block2 "
                              "Nodes=node[33-64]\nBlockName=block3 Nodes=node[65-96]\n"
                              "BlockName=block4 Nodes=node[97-128]\nBlockSizes=30,120\n")
                              .machine;
  EXPECT_EQ(levels_of(machine), "network > block > node");  // 120 are all of them
  EXPECT_EQ(machine.describe(32), "block2.node33");
}

TEST(ReadSlurmTopology, ReadsSwitchesOfAnyDepthInAnyOrder) {
  const Machine machine = read(
                              "SWITCHNAME=top switches=far,\\\nnear linkspeed=40\n"
                              "SwitchName=near Nodes=n1 # one node\n"
                              "SwitchName=far Switches=far[0-1]\n"
                              "switchname=far1 nodes=m[2-3]  SwitchName=far0 Nodes=m0,m1\n")
                              .machine;
  EXPECT_EQ(describe_all(machine),
            (Names{"far.far0.m0", "far.far0.m1", "far.far1.m2", "far.far1.m3", "near.n1"}));
  EXPECT_EQ(machine.depth(0), 3u);
  EXPECT_EQ(machine.depth(4), 2u);
}

TEST(ReadSlurmTopology, JoinsSeveralRootsWithANote) {
  const LoadedMachine loaded =
      read("SwitchName=a Nodes=a[0-1]\nSwitchName=b Nodes=b0 LinkSpeed=1\n");
  EXPECT_EQ(levels_of(loaded.machine), "network > switch > node");
  EXPECT_EQ(describe_all(loaded.machine), (Names{"a.a0", "a.a1", "b.b0"}));
  ASSERT_EQ(loaded.notes.size(), 3u);
  EXPECT_EQ(loaded.notes[1], "LinkSpeed is passed over: its unit is arbitrary");
  EXPECT_EQ(
      loaded.notes[2],
      "2 switches have no parent: Slurm sees them as unconnected, here they are joined at the "
      "top");
}

TEST(ReadSlurmTopology, GivesANodeAsManyProcessesAsAskedFor) {
  const Machine machine = read(kManualTree, 4).machine;
  EXPECT_EQ(machine.size(), 72u);
  EXPECT_EQ(levels_of(machine), "switch0 > switch1 > node > process");
  EXPECT_EQ(machine.describe(5), "s0.dev1.1");
  EXPECT_THROW((void)read_slurm_topology(kManualTree, "f", 0), ContractViolation);
}

TEST(ReadSlurmTopology, GivesMachinesThatOurOwnFormatHoldsExactly) {
  for (const char* text : {kManualTree, "SwitchName=a Nodes=a0\nSwitchName=b Nodes=b0\n",
                           "BlockName=a Nodes=n[0-3]\nBlockName=b Nodes=m[0-3]\n"}) {
    const Machine machine = read(text, 2).machine;
    const auto again = read_json(write_json(machine), "f");
    ASSERT_TRUE(again) << again.error();
    EXPECT_EQ(*again, machine);
  }
}

struct Refusal {
  std::string text;
  std::string where;
  std::string what;  // part of it
};

std::string chain(int length) {
  std::string text = "SwitchName=s0 Nodes=n0\n";
  for (int i = 1; i < length; ++i) {
    text += "SwitchName=s" + std::to_string(i) + " Switches=s" + std::to_string(i - 1) + "\n";
  }
  return text;
}

TEST(ReadSlurmTopology, RefusesWithTheLineAndWhatWasFound) {
  const std::vector<Refusal> refusals = {
      {"", "f:1", "no SwitchName"},
      {"# nothing\n", "f:1", "no SwitchName"},
      {"SwitchName=a Nodes=n0\nSwitchName=b", "f:2", "\"b\" has neither Nodes nor Switches"},
      {"SwitchName=a Nodes=n0\nSwitchName=b Nodes=n1 Switches=a", "f:2", "both Nodes and Switches"},
      {"SwitchName=a Nodes=n0\nSwitchName=a Nodes=n1", "f:2", "\"a\" is defined twice"},
      {"SwitchName=a Nodes=n0,n1\nSwitchName=b \\\n Nodes=n[1-2]", "f:3", "node \"n1\""},
      {"SwitchName=a Nodes=n0,n0", "f:1", "node \"n0\" stands twice"},
      {"SwitchName=a Nodes=n0\nSwitchName=b Switches=a\nSwitchName=c Switches=a", "f:3",
       "below two"},
      {"SwitchName=a Nodes=n0\nSwitchName=b Switches=a,a", "f:2", "below two"},
      {"SwitchName=r Nodes=n0\nSwitchName=a Switches=b\nSwitchName=b Switches=a", "f:2", "itself"},
      {"SwitchName=a Switches=a", "f:1", "itself"},
      {"SwitchName=leaf Nodes=n0\nSwitchName=b Switches=a\nSwitchName=a Switches=b,leaf", "f:2",
       "\"b\" hangs below itself"},
      {"SwitchName=a Switches=b", "f:1", "\"b\" is not defined"},
      {"SwitchName=a Switches=b[0-9]", "f:1", "more than 1 names"},
      {"SwitchName=a Switches=,", "f:1", "\"\" is not defined"},
      {"SwitchName=a Nodes=n[0-", "f:1", "brackets"},
      {"SwitchName=a Nodes=n0,,n1", "f:1", "empty name"},
      {"SwitchName=a Nodes=n[0-99999999]", "f:1", "more than"},
      {"SwitchName=a[0-1] Nodes=n0", "f:1", "a[0-1]"},
      {"SwitchName=a Nodes=n0 Nodes=n1", "f:1", "\"nodes\" stands twice"},
      {"Nodes=n0", "f:1", "without a SwitchName"},
      {"SwitchName=a Nodes=n0\nNodes=n1", "f:2", "without a SwitchName"},
      {"SwitchName=a Nodes=n0\nRingName=r Nodes=n1", "f:2", "\"ringname\""},
      {"SwitchName=a Nodes=n0\nBlockName=b Nodes=n1", "f:2", "switches and blocks"},
      {"SwitchName=a Nodes=n0\nBlockSizes=1", "f:2", "without a BlockName"},
      {"BlockName=b Nodes=n1\nBlockSizes=1\nBlockSizes=2", "f:3", "twice"},
      {"BlockName=b", "f:1", "no Nodes"},
      {"BlockName=b Nodes=n0 Switches=c", "f:1", "has Switches"},
      {"BlockName=b Nodes=n0\nBlockSizes=2", "f:1", "fewer than"},
      {"BlockName=b Nodes=n0\nBlockSizes=1,3", "f:2", "block size 3 after 1"},
      {"BlockName=b Nodes=n[0-3]\nBlockSizes=2,8,4", "f:2", "block size 4 after 8"},
      {"BlockName=b Nodes=n0\nBlockSizes=1,99999999", "f:2", "block size"},
      {"BlockName=b Nodes=n0\nBlockSizes=0", "f:2", "block size \"0\""},
      {"BlockName=b Nodes=n0\nBlockSizes=x", "f:2", "block size \"x\""},
      {"SwitchName=a\x01 Nodes=n0", "f:1", "control character"},
      {chain(200), "f:1", "at most 64 levels"},
      {chain(20'000), "f:1", "at most 64 levels"},
  };
  for (const Refusal& refusal : refusals) {
    const auto loaded = read_slurm_topology(refusal.text, "f");
    ASSERT_FALSE(loaded) << refusal.text.substr(0, 200);
    EXPECT_EQ(loaded.error().where, refusal.where) << loaded.error();
    EXPECT_NE(loaded.error().what.find(refusal.what), std::string::npos) << loaded.error();
    EXPECT_FALSE(loaded.error().hint.empty()) << loaded.error();
  }
}

/// A tree of switches, kept both as what it should become and as the lines that describe it.
struct RandomTree {
  Random& rng;
  Names lines;
  int switches = 0;
  int nodes = 0;

  MemberSpec grow(int depth) {
    MemberSpec spec;
    spec.name = "s" + std::to_string(switches++);
    std::string list;
    const bool leaf = depth == 1 || rng.chance(30);
    for (std::uint64_t n = 1 + rng.below(3); n > 0; --n) {
      if (leaf) {
        MemberSpec node;
        const int first = nodes;
        nodes += static_cast<int>(rng.between(1, 4));
        node.name = "n[" + std::to_string(first) + "-" + std::to_string(nodes - 1) + "]";
        spec.members.push_back(node);
      } else {
        spec.members.push_back(grow(depth - 1));
      }
      list += (list.empty() ? "" : rng.chance(20) ? ",\\\n" : ",") + spec.members.back().name;
    }
    lines.push_back((rng.chance(50) ? "SwitchName=" : "switchname = ") + spec.name +
                    (leaf ? " Nodes=" : " Switches=") + list + (rng.chance(20) ? " # it\n" : "\n"));
    return spec;
  }
};

TEST(ReadSlurmTopologyProperty, GivesBackTheTreeThatWasWrittenWhateverTheOrderOfLines) {
  for_all_seeds(300, [](Random& rng) {
    RandomTree tree{rng, {}};
    MachineSpec spec;
    spec.whole = tree.grow(static_cast<int>(rng.between(1, 4)));
    std::swap(spec.name, spec.whole.name);
    rng.shuffle(std::span(tree.lines));
    std::string text;
    for (const std::string& line : tree.lines) text += line;

    const auto loaded = read_slurm_topology(text, "f");
    ASSERT_TRUE(loaded) << loaded.error() << "\n" << text;
    for (const LevelName& name : loaded->machine.levels()) spec.levels.push_back({name, {}, {}});
    const auto expected = build_machine(spec);
    ASSERT_TRUE(expected) << expected.error() << "\n" << text;
    ASSERT_EQ(loaded->machine, *expected) << text;
  });
}

}  // namespace
}  // namespace espalier::topology
