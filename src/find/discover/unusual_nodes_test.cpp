#include <gtest/gtest.h>

#include "discover/found.hpp"
#include "support/for_all_seeds.hpp"

namespace espalier::discover {
namespace {

FoundCluster node(Node id) {
  FoundCluster result;
  result.nodes = {id};
  return result;
}

FoundCluster cluster(Time latency, std::vector<FoundCluster> members) {
  FoundCluster result;
  result.latency = latency;
  for (const FoundCluster& m : members) {
    result.nodes.insert(result.nodes.end(), m.nodes.begin(), m.nodes.end());
  }
  result.members = std::move(members);
  return result;
}

FoundCluster lan_of(Node first, Node count) {
  std::vector<FoundCluster> members;
  for (Node i = 0; i < count; ++i) members.push_back(node(first + i));
  return cluster(microseconds(250), std::move(members));
}

std::vector<NodeCost> sends(std::initializer_list<std::int64_t> us) {
  std::vector<NodeCost> costs;
  for (const std::int64_t each : us) costs.push_back({microseconds(each), Time{}});
  return costs;
}

/// Costs of a few microseconds that differ by as much again: nobody is slow, and all are alike.
TEST(UnusualNodesProperty, TakesNoiseForNoise) {
  for_all_seeds(500, [](Random& rng) {
    const Node n = static_cast<Node>(rng.between(2, 6));
    const FoundCluster whole = cluster(milliseconds(10), {lan_of(0, n), lan_of(n, 6)});
    std::vector<NodeCost> costs(n + 6);
    for (NodeCost& c : costs) {
      c.send = nanoseconds(rng.between(2'000, 60'000));
      if (rng.chance(20)) c.recv = nanoseconds(rng.between(1'000, 60'000));
    }
    const auto unusual = unusual_nodes(whole, costs);
    ASSERT_TRUE(unusual.empty());
    const auto plain = without_noise(whole, costs, unusual);
    for (Node i = n; i < n + 6; ++i) ASSERT_EQ(plain[i], plain[n]);
    std::vector<Time> site;
    for (Node i = n; i < n + 6; ++i) site.push_back(costs[i].send);
    ASSERT_EQ(plain[n].send, middle(site));
  });
}

TEST(UnusualNodes, KeepsASlowNodeAsItWasMeasured) {
  const auto costs = sends({10, 12, 500, 8, 11, 9});
  const auto unusual = unusual_nodes(lan_of(0, 6), costs);
  ASSERT_EQ(unusual.size(), 1U);
  EXPECT_EQ(unusual[0].node, 2U);
  EXPECT_TRUE(unusual[0].is_slow());
  EXPECT_EQ(unusual[0].usual, microseconds(10));
  EXPECT_EQ(without_noise(lan_of(0, 6), costs, unusual), sends({10, 10, 500, 10, 10, 10}));
}

TEST(UnusualNodes, KeepsAQuickNodeAmongSlowOnes) {
  const auto costs = sends({500, 10, 520, 480});
  const auto unusual = unusual_nodes(lan_of(0, 4), costs);
  ASSERT_EQ(unusual.size(), 1U);
  EXPECT_FALSE(unusual[0].is_slow());
  EXPECT_EQ(without_noise(lan_of(0, 4), costs, unusual), sends({500, 10, 500, 500}));
}

TEST(UnusualNodes, ComparesANodeAloneAtItsPlaceWithAll) {
  const FoundCluster whole = cluster(milliseconds(10), {node(0), lan_of(1, 2)});
  EXPECT_TRUE(unusual_nodes(whole, sends({90, 5, 6})).empty());
  EXPECT_EQ(without_noise(whole, sends({90, 5, 7}), {}), sends({7, 5, 5}));
  const auto slow = unusual_nodes(whole, sends({500, 5, 5}));
  ASSERT_EQ(slow.size(), 1U);
  EXPECT_EQ(slow[0].node, 0U);
}

TEST(UnusualNodes, TellsASlowReceiver) {
  std::vector<NodeCost> costs = sends({5, 5, 5, 5});
  costs[3].recv = microseconds(400);
  costs[1].recv = microseconds(6);
  const auto unusual = unusual_nodes(lan_of(0, 4), costs);
  ASSERT_EQ(unusual.size(), 1U);
  EXPECT_FALSE(unusual[0].sends);
  const auto plain = without_noise(lan_of(0, 4), costs, unusual);
  EXPECT_EQ(plain[3].recv, microseconds(400));
  EXPECT_EQ(plain[1].recv, Time{});
}

TEST(UnusualNodes, OneNodeHasNoNeighbours) {
  EXPECT_TRUE(unusual_nodes(node(0), sends({500})).empty());
  EXPECT_EQ(without_noise(node(0), sends({500}), {}), sends({500}));
}

}  // namespace
}  // namespace espalier::discover
