#include <gtest/gtest.h>

#include "topology/machine_spec.hpp"

namespace espalier::topology {
namespace {

using Ids = std::vector<std::uint32_t>;

MemberSpec processes(std::uint64_t count) {
  MemberSpec spec;
  spec.count = count;
  return spec;
}

MemberSpec cluster(std::string name, std::vector<MemberSpec> members) {
  MemberSpec spec;
  spec.name = std::move(name);
  spec.members = std::move(members);
  return spec;
}

MachineSpec machine(std::vector<MemberSpec> members) {
  MachineSpec spec;
  spec.where = "test";
  spec.whole.members = std::move(members);
  return spec;
}

/// karonis2000, Figures 1 and 2: 16 processes on 4 SMP nodes of the IBM SP at LLNL, 8 on the SP and
/// 8 on the Origin at ANL.
MachineSpec karonis() {
  return machine({cluster("llnl", {cluster("sp", {cluster("node[0-3]", {processes(4)})})}),
                  cluster("anl", {cluster("sp", {processes(8)}), cluster("o2k", {processes(8)})})});
}

TEST(BuildMachine, GivesTheDepthsOfKaronisFigure2) {
  const Machine m = *build_machine(karonis());
  ASSERT_EQ(m.size(), 32u);
  for (Rank r = 0; r < 32; ++r) EXPECT_EQ(m.depth(r), r < 16 ? 4u : 3u) << r;
}

TEST(BuildMachine, GivesTheClusterIdsOfKaronisFigure2) {
  const Machine m = *build_machine(karonis());
  for (Rank r = 0; r < 16; ++r) {
    EXPECT_EQ(m.cluster_ids(r), (Ids{0, 0, r / 4, r})) << r;
    EXPECT_EQ(m.member_path(r), (Ids{0, 0, r / 4, r % 4})) << r;
  }
  for (Rank r = 16; r < 32; ++r) {
    const std::uint32_t host = (r - 16) / 8;
    EXPECT_EQ(m.cluster_ids(r), (Ids{1, 1 + host, 4 + (r - 16)})) << r;
    EXPECT_EQ(m.member_path(r), (Ids{1, host, r % 8})) << r;
  }
}

TEST(BuildMachine, JoinsProcessesAtTheLevelOfTheirCommonCluster) {
  const Machine m = *build_machine(karonis());
  EXPECT_EQ(m.path(0, 16).level, 0u);
  EXPECT_EQ(m.path(16, 24).level, 1u);
  EXPECT_EQ(m.path(0, 4).level, 2u);
  EXPECT_EQ(m.path(16, 17).level, 2u);
  EXPECT_EQ(m.path(0, 1).level, 3u);
}

TEST(BuildMachine, AddsUplinkLatenciesAndTakesTheNarrowestResource) {
  MachineSpec spec = machine({cluster("a", {processes(2)}), cluster("b", {processes(2)})});
  spec.levels = {{{"wan", "site"},
                  {milliseconds(10), kUnlimited, bits_per_second(70)},
                  {bits_per_second(100), bits_per_second(90), false, milliseconds(1)}},
                 {{"shm", ""}, {microseconds(1), bits_per_second(500), kUnlimited}, {}}};
  const Machine m = *build_machine(spec);
  EXPECT_EQ(m.path(0, 1), (Path{1, microseconds(1), bits_per_second(500)}));
  EXPECT_EQ(m.path(0, 2), (Path{0, milliseconds(12), bits_per_second(70)}));
  spec.levels[0].channel.flow_cap = kUnlimited;
  EXPECT_EQ(build_machine(spec)->path(0, 2).bandwidth, bits_per_second(90));
  spec.levels[1].channel.backbone = bits_per_second(20);
  EXPECT_EQ(build_machine(spec)->path(0, 2).bandwidth, bits_per_second(20));
}

TEST(BuildMachine, LetsAPairDifferFromItsChannel) {
  MachineSpec spec = machine(
      {cluster("a", {processes(1)}), cluster("b", {processes(1)}), cluster("c", {processes(1)})});
  spec.levels = {{{"wan", "site"}, {milliseconds(10), kUnlimited, kUnlimited}, {}}, {}};
  spec.whole.pairs = {{"", "c", "a", milliseconds(80), bits_per_second(5)}};
  const Machine m = *build_machine(spec);
  EXPECT_EQ(m.path(0, 1).latency, milliseconds(10));
  EXPECT_EQ(m.path(2, 0), (Path{0, milliseconds(80), bits_per_second(5)}));
  spec.whole.pairs.push_back({"", "0", "2", milliseconds(1), kUnlimited});
  EXPECT_FALSE(build_machine(spec));  // the same pair twice
  spec.whole.pairs = {{"", "a", "x", milliseconds(80), kUnlimited}};
  EXPECT_FALSE(build_machine(spec));
  spec.whole.pairs = {{"", "a", "a", milliseconds(80), kUnlimited}};
  EXPECT_FALSE(build_machine(spec));
}

TEST(BuildMachine, GivesTheWholeMachineNoNameButItsTitle) {
  MachineSpec spec = machine({processes(2)});
  const Machine plain = *build_machine(spec);
  spec.whole.name = "zone";
  EXPECT_TRUE(*build_machine(spec) == plain);  // else writing and reading would lose it
}

TEST(BuildMachine, PlacesRanksInTurn) {
  MachineSpec spec = machine({cluster("a", {processes(3)}), cluster("b", {processes(1)})});
  spec.placement = PlacementKind::Cyclic;
  const Machine m = *build_machine(spec);
  EXPECT_EQ(Ids(m.placement().begin(), m.placement().end()), (Ids{0, 3, 1, 2}));
  EXPECT_EQ(m.rank_at(3), 1u);
}

TEST(BuildMachine, RefusesWhatIsNoMachine) {
  EXPECT_FALSE(build_machine(machine({})));
  EXPECT_FALSE(build_machine(machine({processes(0)})));
  EXPECT_FALSE(build_machine(machine({processes(kMaxProcesses + 1)})));
  EXPECT_FALSE(build_machine(machine({cluster("n[0-99999]", {processes(100'000)})})));
  EXPECT_FALSE(
      build_machine(machine({cluster("a", {processes(1)}), cluster("a", {processes(1)})})));
  EXPECT_FALSE(build_machine(machine({cluster("n[3-1]", {processes(1)})})));
  MachineSpec levels = machine({processes(2)});
  levels.levels.resize(2);
  EXPECT_FALSE(build_machine(levels));
  for (const char* name : {"a\nb", "\x7f", "\xff"}) {
    MachineSpec named = machine({processes(2)});
    named.levels.resize(1);
    named.levels[0].name.channel = name;
    EXPECT_FALSE(build_machine(named)) << name;
    named.levels[0].name = {"", name};
    EXPECT_FALSE(build_machine(named)) << name;
  }
  MachineSpec still = machine({cluster("a", {processes(2)})});
  still.whole.members[0].costs.speed_millionths = 0;
  EXPECT_FALSE(build_machine(still));
  MachineSpec placed = machine({processes(2)});
  placed.placement = PlacementKind::Listed;
  for (const std::vector<std::uint64_t>& list :
       {std::vector<std::uint64_t>{0}, {0, 0}, {0, 2}, {0, 1, 2}}) {
    placed.listed = list;
    EXPECT_FALSE(build_machine(placed));
  }
}

}  // namespace
}  // namespace espalier::topology
