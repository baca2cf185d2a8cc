#include "report/draw_machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "support/for_all_seeds.hpp"
#include "support/machines.hpp"
#include "topology/readers.hpp"

namespace espalier::report {
namespace {

using topology::Machine;

TEST(DrawMachine, FoldsEqualProcessesIntoTheLineOfTheirNode) {
  EXPECT_EQ(draw_machine(cluster_of(4, 16), {}, Detail::Folded),
            "part                            ranks  channel inside\n"
            "the whole machine               0-63   5 us\n"
            "└─ 4 x node, 16 processes each  0-63   1 us\n");
}

TEST(DrawMachine, ShowsNamesUplinksAndCosts) {
  const std::string text = draw_machine(grid(), {}, Detail::Folded);
  EXPECT_NE(text.find("├─ site north            0-3    500 us          100 Mbit/s\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("send 300 us\n"), std::string::npos) << text;
  EXPECT_NE(text.find("2 x machine b … c"), std::string::npos) << text;
}

TEST(DrawMachine, NeedsAScreenAtMostForManyDifferentParts) {
  std::vector<Time> costs;
  for (int i = 0; i < 1000; ++i) costs.push_back(microseconds(i));
  const std::string text = draw_machine(workstations(1000, costs), {}, Detail::Folded);
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 60);
  EXPECT_NE(text.find("└─ … 953 more\n"), std::string::npos) << text;
}

TEST(DrawMachine, DrawsEveryPartIfAsked) {
  const std::string text = draw_machine(cluster_of(4, 16), {}, Detail::Everything);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 1 + 4 + 64);
}

TEST(LevelTable, GivesTheRangeOfALevelsFigures) {
  EXPECT_EQ(to_text(level_table(grid()), {}),
            "level  channel  joins             latency      uplink\n"
            "    0  wan      2 sites             30 ms  100 Mbit/s\n"
            "    1  lan      2 x 1-2 machines   500 us    1 Gbit/s\n"
            "    2  memory   3 x 4 processes      5 us\n");
}

TEST(PairTable, NamesBothEndsOfEachPair) {
  topology::MachineSpec spec;
  spec.levels = {{{"wan", "site"}, {microseconds(25000), kUnlimited, kUnlimited}, {}},
                 {{"net", "host"}, {}, {}}};
  spec.whole.members = {cluster("Paris", 1, {processes(2)}), cluster("Lyon", 1, {processes(2)}),
                        cluster("", 1, {processes(2)})};
  spec.whole.pairs.push_back({"", "Paris", "Lyon", microseconds(12000), kUnlimited});
  spec.whole.pairs.push_back(
      {"", "Lyon", "2", microseconds(18000), bits_per_second(1'000'000'000)});
  const Machine machine = *build_machine(spec);
  EXPECT_EQ(to_text(pair_table(machine, Detail::Folded), {}),
            "pair          latency  capacity\n"
            "Paris - Lyon    12 ms\n"
            "Lyon - 2        18 ms  1 Gbit/s\n");
  EXPECT_TRUE(pair_table(grid(), Detail::Folded).rows.empty());
}

TEST(PairTable, CountsThoseThatAreTooMany) {
  topology::MachineSpec spec;
  spec.levels = {{{"net", "host"}, {}, {}}};
  spec.whole.members = {processes(6)};
  for (int a = 0; a < 6; ++a) {
    for (int b = a + 1; b < 6; ++b) {
      spec.whole.pairs.push_back(
          {"", std::to_string(a), std::to_string(b), microseconds(70 + a), kUnlimited});
    }
  }
  const Machine machine = *build_machine(spec);
  const std::string text = to_text(pair_table(machine, Detail::Folded), {});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 12 + 1) << text;
  EXPECT_NE(text.find("… 3 more: --all\n"), std::string::npos) << text;
  EXPECT_EQ(pair_table(machine, Detail::Everything).rows.size(), 15U);
}

TEST(LevelTable, CountsThePairsOfAClusterAmongItsLatencies) {
  topology::MachineSpec spec;
  spec.levels = {{{"net", "host"}, {microseconds(10), kUnlimited, kUnlimited}, {}}};
  spec.whole.members = {processes(3)};
  spec.whole.pairs.push_back({"", "0", "2", microseconds(70), kUnlimited});
  EXPECT_NE(to_text(level_table(*build_machine(spec)), {}).find("10 us to 70 us"),
            std::string::npos);
}

TEST(LevelTable, SaysWhereOnlySomeHaveALimit) {
  topology::MachineSpec spec;
  spec.levels = {{{"net", "node"}, {}, {}}, {{"memory", ""}, {}, {}}};
  spec.whole.members = {cluster("a", 1, {processes(1)}), cluster("b", 1, {processes(1)})};
  spec.whole.members[0].uplink =
      topology::Uplink{bits_per_second(1'000'000), bits_per_second(1'000'000), false, Time{}};
  spec.whole.members[1].channel.latency = microseconds(7);
  const std::string text = to_text(level_table(*build_machine(spec)), {});
  EXPECT_NE(text.find("from 1 Mbit/s"), std::string::npos) << text;
  EXPECT_NE(text.find("up to 7 us"), std::string::npos) << text;
}

// karonis2000, Figure 2: depth and cluster ids.
TEST(RankTable, ShowsDepthAndClusterIds) {
  const std::string csv = to_csv(rank_table(grid()));
  EXPECT_TRUE(
      csv.starts_with("rank,place,depth,cluster_id_0,cluster_id_1,cluster_id_2,send_ps,recv_ps\n"
                      "0,north.a.0,3,0,0,0,100000000,\n"
                      "1,north.a.1,3,0,0,1,300000000,\n"))
      << csv;
  EXPECT_TRUE(csv.ends_with("11,south.c.3,3,1,2,11,300000000,\n")) << csv;
}

TEST(RankTable, CallsItsColumnsByWhatTheyNumber) {
  const std::string text = to_text(
      rank_table(*topology::parse_synthetic("site:2(30ms,name=wan) node:2(5us) proc:2")), {});
  EXPECT_NE(text.find("depth  site  node  process\n"), std::string::npos) << text;
  EXPECT_NE(text.find("   4  site1.node0.0      3     1     2        4\n"), std::string::npos)
      << text;
}

TEST(MachineHeadline, NumbersLevelsWithoutNames) {
  topology::MachineSpec spec;
  spec.levels = {{{"", ""}, {}, {}}};
  spec.whole.members = {processes(2)};
  EXPECT_EQ(machine_headline(*build_machine(spec)), "machine: 2 processes, 1 level (level 0)");
}

TEST(MachineHeadline, CountsProcessesAndLevels) {
  EXPECT_EQ(machine_headline(grid()), "grid: 12 processes, 3 levels (wan, lan, memory)");
}

TEST(DrawMachineProperty, StaysWithinTheCanvasWhereColumnsMayShrink) {
  for_all_seeds(200, [](Random& rng) {
    const Machine machine = any_machine(rng);
    for (const std::size_t width : {std::size_t{80}, std::size_t{100}}) {
      std::istringstream lines(draw_machine(machine, {.width = width}, Detail::Folded));
      for (std::string line; std::getline(lines, line);) {
        ASSERT_LE(display_width(line), width) << line;
      }
    }
  });
}

}  // namespace
}  // namespace espalier::report
