#include "discover/classes.hpp"

#include <gtest/gtest.h>

#include "support/for_all_seeds.hpp"

namespace espalier::discover {
namespace {

TEST(Classes, TheMiddleFigureStandsForItsClass) {
  const std::vector<double> figures{103, 100, 200, 109, 111};
  EXPECT_EQ(class_middles(figures), (std::vector<std::size_t>{0, 0, 2, 0, 4}));
  EXPECT_TRUE(class_middles({}).empty());
}

TEST(ClassesProperty, NobodyIsMovedByMoreThanTheToleranceNorPastAnother) {
  for_all_seeds(200, [](Random& rng) {
    std::vector<double> figures;
    for (std::uint64_t i = rng.below(30); i > 0; --i) {
      figures.push_back(static_cast<double>(100 + rng.below(900)));
    }
    const auto middles = class_middles(figures);
    for (std::size_t a = 0; a < figures.size(); ++a) {
      ASSERT_NEAR(figures[middles[a]] / figures[a], 1, 0.101);
      ASSERT_EQ(middles[middles[a]], middles[a]);
      for (std::size_t b = 0; b < figures.size(); ++b) {
        if (figures[a] <= figures[b]) {
          ASSERT_LE(figures[middles[a]], figures[middles[b]]);
        }
      }
    }
  });
}

TEST(Classes, WhatIsNotKnownStaysSo) {
  FoundCluster whole;
  whole.nodes = {0, 1, 2};
  whole.latency = microseconds(100);
  whole.members.resize(3);
  for (Node n = 0; n < 3; ++n) whole.members[n].nodes = {n};
  whole.members[0].out = bits_per_second(1'000'000'000);
  whole.members[1].out = bits_per_second(1'040'000'000);
  whole.pairs.push_back({0, 1, Time{}, bits_per_second(100'000'000)});
  group_figures(whole);
  EXPECT_EQ(whole.members[0].out, whole.members[1].out);
  EXPECT_TRUE(whole.members[2].out.unlimited());
  EXPECT_EQ(whole.pairs[0].latency, Time{});
  std::vector<NodeCost> costs{{microseconds(50), Time{}}, {microseconds(52), microseconds(9)}};
  group_costs(costs);
  EXPECT_EQ(costs[0].send, costs[1].send);
  EXPECT_EQ(costs[0].recv, Time{});
}

}  // namespace
}  // namespace espalier::discover
