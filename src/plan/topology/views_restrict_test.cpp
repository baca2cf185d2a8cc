#include <gtest/gtest.h>

#include <numeric>

#include "base/contract.hpp"
#include "base/random.hpp"
#include "support/for_all_seeds.hpp"
#include "topology/random_machine.hpp"
#include "topology/readers.hpp"
#include "topology/views.hpp"

namespace espalier::topology {
namespace {

TEST(RestrictMachine, DropsTheOutermostLevelsThatJoinNothing) {
  const Machine machine = *parse_synthetic("site:2(30ms) node:2(1ms) proc:3(1us)");
  const Machine part = restrict_machine(machine, std::vector<Rank>{11, 9, 6});
  ASSERT_EQ(part.size(), 3u);
  ASSERT_EQ(part.levels().size(), 2u);
  EXPECT_EQ(part.path(0, 1).level, 1u);  // 11 and 9 share a node, 6 is on the other
  EXPECT_EQ(part.path(0, 2).level, 0u);
  EXPECT_EQ(part.path(0, 2).latency, milliseconds(1));
}

TEST(RestrictMachine, KeepsDirectLinksBesideAMemberWhoseNameIsANumber) {
  const auto machine = read_json(R"({"format": "espalier-machine-1",
    "children": [{"name": "1"}, {}, {}], "pairs": [{"between": [1, 2], "latency": "9 ms"}]})",
                                 "m.json");
  ASSERT_TRUE(machine) << machine.error();
  EXPECT_EQ(machine->path(1, 2).latency, milliseconds(9));
  const Machine part = restrict_machine(*machine, std::vector<Rank>{0, 1, 2});
  EXPECT_EQ(part.path(1, 2).latency, milliseconds(9));
  EXPECT_EQ(part.path(0, 1).latency, Time{});
}

TEST(RestrictMachine, OneRankIsAMachineOfOneLevel) {
  const Machine machine = *parse_synthetic("site:2(30ms) proc:3(1us)");
  EXPECT_EQ(restrict_machine(machine, std::vector<Rank>{4}).size(), 1u);
}

TEST(RestrictMachine, RefusesStrangersAndTwins) {
  const Machine machine = *parse_synthetic("site:2(30ms) proc:3(1us)");
  EXPECT_THROW((void)restrict_machine(machine, std::vector<Rank>{6}), ContractViolation);
  EXPECT_THROW((void)restrict_machine(machine, std::vector<Rank>{1, 1}), ContractViolation);
  EXPECT_THROW((void)restrict_machine(machine, {}), ContractViolation);
}

TEST(RestrictMachineProperty, PathsBetweenTheRestCostWhatTheyCost) {
  for_all_seeds(300, [](Random& rng) {
    const Machine machine = random_machine(rng.next(), {1, 24, 4, true});
    std::vector<Rank> ranks(machine.size());
    std::iota(ranks.begin(), ranks.end(), Rank{0});
    rng.shuffle(std::span(ranks));
    ranks.resize(1 + rng.below(ranks.size()));
    const Machine part = restrict_machine(machine, ranks);
    ASSERT_EQ(part.size(), ranks.size());
    std::uint32_t dropped = ~0U;
    for (Rank a = 0; a < part.size(); ++a) {
      ASSERT_EQ(part.costs(a), machine.costs(ranks[a]));
      for (Rank b = 0; b < part.size(); ++b) {
        if (a == b) continue;
        const Path now = part.path(a, b);
        const Path before = machine.path(ranks[a], ranks[b]);
        ASSERT_EQ(now.latency, before.latency);
        ASSERT_EQ(now.bandwidth, before.bandwidth);
        if (dropped == ~0U) dropped = before.level - now.level;
        ASSERT_EQ(before.level - now.level, dropped);
      }
    }
    if (ranks.size() == machine.size()) return;
    ASSERT_LE(part.levels().size(), machine.levels().size());
  });
}

}  // namespace
}  // namespace espalier::topology
