#include "lab/settings.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "topology/load_machine.hpp"

namespace espalier::lab {
namespace {

const std::string kSettingsGrid = "site:2(10ms,100Mbit/s,name=wan) node:1|2(1ms,1Gbit/s) proc:4";

struct Grid {
  topology::Machine machine = topology::load_machine(kSettingsGrid).value().machine;
  LabPlan plan = plan_lab(machine).value();

  [[nodiscard]] std::vector<std::string> names(const std::vector<std::uint32_t>& links) const {
    std::vector<std::string> out;
    for (const std::uint32_t l : links) out.push_back(plan.links[l].name);
    std::sort(out.begin(), out.end());
    return out;
  }
};
using Names = std::vector<std::string>;

TEST(LabSettings, TakeAChannelAsALevelOfTheMachine) {
  const Grid grid;
  const ChosenLinks wan = links_called(grid.machine, grid.plan, "wan").value();
  EXPECT_EQ(grid.names(wan.latency), (Names{"wan:site0>site1", "wan:site1>site0"}));
  EXPECT_EQ(grid.names(wan.cut), grid.names(wan.latency));
  EXPECT_EQ(grid.names(wan.bandwidth), (Names{"site0:in", "site0:out", "site1:in", "site1:out"}));
  EXPECT_EQ(links_called(grid.machine, grid.plan, "level1").value().latency.size(), 2U);
}

TEST(LabSettings, TakePartsAndPairs) {
  const Grid grid;
  const auto chosen = [&](const char* name) {
    return grid.names(links_called(grid.machine, grid.plan, name).value().cut);
  };
  EXPECT_EQ(chosen("site1.node0"), (Names{"site1.node0:in", "site1.node0:out"}));
  EXPECT_EQ(chosen("site0>site1"), (Names{"wan:site0>site1"}));
  EXPECT_EQ(chosen("site0<>site1"), (Names{"wan:site0>site1", "wan:site1>site0"}));
  EXPECT_EQ(chosen("site1:backbone"), (Names{"site1:backbone"}));
}

TEST(LabSettings, RefuseWhatIsNoLink) {
  const Grid grid;
  for (const char* name : {"", "wann", "site0<>site0", "site1.node0>site0"}) {
    EXPECT_FALSE(links_called(grid.machine, grid.plan, name)) << name;
  }
}

TEST(LabSettings, ChangeOnlyWhatIsAsked) {
  const Grid grid;
  std::vector<LinkCell> cells(grid.plan.links.size());
  for (std::size_t l = 0; l < cells.size(); ++l) set_up(cells[l], grid.plan.links[l]);
  const ChosenLinks wan = links_called(grid.machine, grid.plan, "wan").value();
  Change change;
  change.latency = milliseconds(30);
  change.cut = true;
  apply(change, wan, cells);
  for (std::size_t l = 0; l < cells.size(); ++l) {
    const LabLink& link = grid.plan.links[l];
    const bool is_wan = link.name.starts_with("wan:");
    EXPECT_EQ(cells[l].delay_ns, is_wan ? 30'000'000 : link.delay.picoseconds / 1000);
    EXPECT_EQ(cells[l].bits_per_second, link.rate.bits_per_second);
    EXPECT_EQ(cells[l].is_cut, is_wan ? 1U : 0U);
  }
}

TEST(LabSettings, BadLinksAreWaysAndUplinks) {
  const Grid grid;
  std::vector<LinkCell> cells(grid.plan.links.size());
  const ChosenLinks wan = links_called(grid.machine, grid.plan, "level0").value();
  Change change;
  EXPECT_TRUE(change.is_empty());
  change.loss_ppm = 1000;
  change.reorder_ppm = 10'000;
  change.jitter = milliseconds(2);
  change.cross = Bandwidth{20'000'000};
  EXPECT_FALSE(change.is_empty());
  apply(change, wan, cells);
  for (std::size_t l = 0; l < cells.size(); ++l) {
    const LabLink& link = grid.plan.links[l];
    const bool is_way = link.name.starts_with("wan:");
    const bool is_uplink = link.kind == LinkKind::Uplink && link.level == 0;
    EXPECT_EQ(cells[l].loss_ppm, is_way ? 1000U : 0U) << link.name;
    EXPECT_EQ(cells[l].reorder_ppm, is_way ? 10'000U : 0U) << link.name;
    EXPECT_EQ(cells[l].jitter_ns, is_way ? 2'000'000 : 0) << link.name;
    EXPECT_EQ(cells[l].cross_bits_per_second, is_uplink ? 20'000'000U : 0U) << link.name;
  }
}

TEST(LabSettings, ReadShares) {
  EXPECT_EQ(parse_millionths("--loss", "0.1%").value(), 1000U);
  EXPECT_EQ(parse_millionths("--loss", "0.001").value(), 1000U);
  EXPECT_EQ(parse_millionths("--loss", "0").value(), 0U);
  for (const char* text : {"", "x", "2", "-1%", "1%%", "nan", "%"}) {
    EXPECT_FALSE(parse_millionths("--loss", text)) << text;
  }
}

}  // namespace
}  // namespace espalier::lab
