#include "cost/least_costs.hpp"

#include <gtest/gtest.h>

#include "cost/least_rounds.hpp"
#include "topology/readers.hpp"

namespace espalier::cost {
namespace {

topology::Machine two_sites() {
  return *topology::parse_synthetic(
      "site:2(10ms,1Gbit/s) node:4(20us,25Gbit/s) proc:8(1us,80Gbit/s,send=400ns,recv=600ns)");
}

TEST(LeastCosts, FarPartnersMeetOnOuterLevels) {
  const auto machine = two_sites();
  const LeastCosts costs(machine);
  EXPECT_DOUBLE_EQ(costs.message(1, 0), 2e6);
  EXPECT_DOUBLE_EQ(costs.message(7, 0), 2e6);
  EXPECT_DOUBLE_EQ(costs.message(8, 0), 21e6);
  EXPECT_DOUBLE_EQ(costs.message(31, 0), 21e6);
  EXPECT_DOUBLE_EQ(costs.message(32, 0), 10'001e6);
  EXPECT_DOUBLE_EQ(costs.across(0), 10'001e6);
}

TEST(LeastCosts, AllRanksOfAClusterShareItsLink) {
  const auto machine = two_sites();
  const LeastCosts costs(machine);
  EXPECT_DOUBLE_EQ(costs.load(4, 1000), 0);                 // partners within nodes
  EXPECT_DOUBLE_EQ(costs.load(8, 1000), 8 * 1000 * 320.0);  // 25 Gbit/s: 320 ps a byte
  EXPECT_DOUBLE_EQ(costs.load(32, 1000), 32 * 1000 * 8000.0);
}

TEST(LeastRounds, CountEachRoundAndTheBusiestLinkOnce) {
  const auto machine = two_sites();
  const LeastCosts costs(machine);
  LeastRounds rounds(costs, 64, true);
  rounds.butterfly(false, [](Rank) { return 0.0; });
  EXPECT_NEAR(rounds.finish(), 3 * 2e6 + 2 * 21e6 + 10'001e6, 20e3);
  LeastRounds carrying(costs, 64, true);
  carrying.round(32, 1000, false);
  EXPECT_NEAR(carrying.finish(), 10'001e6 + 32 * 1000 * 8000.0, 20e3);
  LeastRounds anywhere(costs, 64, false);
  anywhere.round(32, 0, false);
  EXPECT_NEAR(anywhere.finish(), 2e6, 10);
}

}  // namespace
}  // namespace espalier::cost
