#include "place/select_topology.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "map/problem.hpp"
#include "place/load_inventory.hpp"
#include "profile/workload.hpp"
#include "support/inventory_from.hpp"

namespace espalier::place {
namespace {

using profile::Profile;

/// Five clusters of four nodes; C is nearest to the others, then A, E, D, B.
const char* const kFigure4 = R"({"format": "espalier-inventory-1",
"inside": {"latency": "100 us", "bandwidth": "100 Mbit/s"},
"between": {"latency": "10 ms", "bandwidth": "20 Mbit/s"},
"links": [
{"between": ["C", "A"], "latency": "2 ms"}, {"between": ["C", "E"], "latency": "3 ms"},
{"between": ["C", "D"], "latency": "4 ms"}, {"between": ["C", "B"], "latency": "9 ms"},
{"between": ["A", "E"], "latency": "4 ms"}, {"between": ["A", "D"], "latency": "5 ms"},
{"between": ["A", "B"], "latency": "10 ms"}, {"between": ["E", "D"], "latency": "6 ms"},
{"between": ["E", "B"], "latency": "11 ms"}, {"between": ["D", "B"], "latency": "12 ms"}],
"hosts": [{"name": "a[1-4]", "cluster": "A"}, {"name": "b[1-4]", "cluster": "B"},
{"name": "c[1-4]", "cluster": "C"}, {"name": "d[1-4]", "cluster": "D"},
{"name": "e[1-4]", "cluster": "E"}]})";

std::string cluster_of(const map::Problem& problem, const map::Placement& placement, Rank p) {
  return problem.clusters[problem.slots[placement[p]].cluster];
}

TEST(SelectTopology, DoesFigure4OfThePaper) {
  const auto inventory = parse_inventory(kFigure4, "f");
  ASSERT_TRUE(inventory.has_value()) << inventory.error();
  for (const std::uint64_t heavy : {1U, 2U, 4U, 16U}) {
    const auto lu = profile::make_workload("lu.W", 16, {.heavy_factor = heavy});
    const auto problem = make_problem(*inventory, *lu, {});
    ASSERT_TRUE(problem.has_value()) << problem.error();
    const Selection s = select_topology(*problem, kFullSelection);
    std::string order;
    for (const RankedCluster& c : s.clusters) order += problem->clusters[c.cluster];
    EXPECT_EQ(order, "CAEDB");
    EXPECT_EQ(s.explanation.size(), 6U);
    ASSERT_EQ(s.heavy.size(), 2U);
    for (const Rank p : {5U, 6U, 9U, 10U}) EXPECT_EQ(cluster_of(*problem, s.placement, p), "C");
    EXPECT_EQ(cluster_of(*problem, s.placement, 4), cluster_of(*problem, s.placement, 8));
    EXPECT_EQ(cluster_of(*problem, s.placement, 7), cluster_of(*problem, s.placement, 11));
    for (Rank p = 0; p < 16; ++p) EXPECT_NE(cluster_of(*problem, s.placement, p), "B");
  }
}

TEST(SelectTopology, ObeysEachPrincipleAlone) {
  const auto inventory = parse_inventory(kFigure4, "f");
  const auto lu = profile::make_workload("lu.W", 16, {.heavy_factor = 4});
  const auto problem = make_problem(*inventory, *lu, {});
  const Selection none = select_topology(*problem, kNoPolicy);
  for (Rank p = 0; p < 16; ++p) EXPECT_EQ(none.placement[p], p);
  const Selection b = select_topology(*problem, {false, true, false, false});
  EXPECT_EQ(cluster_of(*problem, b.placement, 0), "C");
  EXPECT_EQ(cluster_of(*problem, b.placement, 15), "D");
  const Selection d = select_topology(*problem, {false, false, false, true});
  EXPECT_EQ(cluster_of(*problem, d.placement, 4), cluster_of(*problem, d.placement, 8));
  const Selection c = select_topology(*problem, {true, true, true, false});
  EXPECT_EQ(cluster_of(*problem, c.placement, 5), "C");
  EXPECT_TRUE(c.heavy.empty());
}

TEST(SelectTopology, KeepsAHeavyPairTogetherIfOneOfItIsPinned) {
  const auto inventory = parse_inventory(kFigure4, "f");
  const auto lu = profile::make_workload("lu.W", 16, {.heavy_factor = 4});
  for (const char* host : {"b1", "d2", "c4"}) {
    map::Constraints constraints;
    constraints.pins = {{4, host}, {0, "b4"}};
    const auto problem = make_problem(*inventory, *lu, constraints);
    ASSERT_TRUE(problem.has_value()) << problem.error();
    const Selection s = select_topology(*problem, kFullSelection);
    EXPECT_TRUE(is_valid(*problem, s.placement));
    EXPECT_EQ(cluster_of(*problem, s.placement, 4), cluster_of(*problem, s.placement, 8));
    EXPECT_EQ(cluster_of(*problem, s.placement, 7), cluster_of(*problem, s.placement, 11));
  }
}

TEST(SelectTopology, TakesTheFewestClustersEvenIfOthersAreNearer) {
  const map::Inventory inventory = inventory_from("cluster:3(1ms) node:2|2|4(10us)");
  const Profile four = *profile::make_workload("ep.S", 4);
  const auto problem = make_problem(inventory, four, {});
  ASSERT_TRUE(problem.has_value());
  const Selection s = select_topology(*problem, kSortedList);
  for (Rank p = 0; p < 4; ++p) EXPECT_EQ(problem->slots[s.placement[p]].cluster, 2U);
  const Selection without = select_topology(*problem, {false, true, false, false});
  EXPECT_EQ(problem->slots[without.placement[0]].cluster, 0U);
}

}  // namespace
}  // namespace espalier::place
