#include "discover/link_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "discover/eco.hpp"
#include "support/for_all_seeds.hpp"
#include "support/test_data.hpp"

namespace espalier::discover {
namespace {

using Groups = std::vector<std::vector<Node>>;

/// banikazemi1998, Table 1, with two workstations of each type, as its diagonal has them: 0 1 are
/// HP 735, 2 3 HP 715/100, 4 5 HP 715/64, 6 7 Sun 4.
struct Table1 {
  RoundTrips seen{8};
  Groups clusters;
};

Table1 table1() {
  Table1 table;
  std::vector<std::string> types;
  const auto type = [&](const std::string& name) {
    const auto at = std::find(types.begin(), types.end(), name);
    if (at == types.end()) types.push_back(name);
    return static_cast<Node>(std::find(types.begin(), types.end(), name) - types.begin());
  };
  std::istringstream in(test_data("discover/banikazemi1998_table1.csv"));
  std::vector<Node> cluster_of{0, 1, 2, 3, 4, 5, 6, 7};
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#' || line.starts_with("a,b")) continue;
    std::istringstream cells(line);
    std::string a, b, time, differ;
    std::getline(cells, a, ',');
    std::getline(cells, b, ',');
    std::getline(cells, time, ',');
    std::getline(cells, differ);
    const Node x = type(a), y = type(b);
    for (const Node i : {2 * x, 2 * x + 1}) {
      for (const Node j : {2 * y, 2 * y + 1}) {
        if (i == j) continue;
        table.seen.add(i, j, microseconds(std::stoll(time)));
        if (differ == "0") cluster_of[std::max(i, j)] = cluster_of[std::min(i, j)];
      }
    }
  }
  table.clusters.resize(8);
  for (Node i = 0; i < 8; ++i) table.clusters[cluster_of[i]].push_back(i);
  std::erase_if(table.clusters, [](const auto& c) { return c.empty(); });
  return table;
}

TEST(Banikazemi1998Table1, HasTheThreeClustersThatThePaperMarks) {
  const Table1 table = table1();
  const auto costs = costs_from_round_trips(table.seen);
  EXPECT_EQ(costs[0], Time{microseconds(871).picoseconds / 2});
  EXPECT_EQ(costs[7], microseconds(2098));
  const auto links = links_seen(table.seen, costs);
  const LinkCluster whole = cluster_links(8, links);
  EXPECT_EQ(innermost(whole), table.clusters);
  EXPECT_EQ(innermost(whole), (Groups{{0, 1, 2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(depth(whole), 2U);
}

TEST(Banikazemi1998Table1, HasNoLimitOfRoundTripsThatGivesThem) {
  const Table1 table = table1();
  for (const auto& [pair, limit] : table.seen.all()) {
    EXPECT_NE(groups_within(table.seen, limit.least), table.clusters);
  }
}

// ECO compares with the nearest of each node, so two of a kind find each other, however slow. One
// slow workstation among fast ones does not: half of Table 1's diagonal is what each costs.
TEST(Eco, TakesASlowWorkstationForAFarOne) {
  EXPECT_EQ(eco_groups(table1().seen), table1().clusters);
  RoundTrips one_slow(4);  // three HP 735 and a Sun 4 side by side
  for (Node i = 0; i < 4; ++i) {
    for (Node j = i + 1; j < 4; ++j) {
      one_slow.add(i, j, j == 3 ? microseconds((871 + 4196) / 2) : microseconds(871));
    }
  }
  EXPECT_EQ(eco_groups(one_slow), (Groups{{0, 1, 2}, {3}}));
  const auto links = links_seen(one_slow, costs_from_round_trips(one_slow));
  EXPECT_EQ(innermost(cluster_links(4, links)), (Groups{{0, 1, 2, 3}}));
}

std::vector<LinkSeen> all_links(
    const std::vector<std::vector<std::int64_t>>& microseconds_between) {
  std::vector<LinkSeen> links;
  for (Node i = 0; i < microseconds_between.size(); ++i) {
    for (Node j = 0; j < i; ++j) {
      const Time latency = microseconds(microseconds_between[i][j]);
      links.push_back({j, i, latency, Time{latency.picoseconds / 10}});
    }
  }
  return links;
}

TEST(ClusterLinks, TakesUnequalDistancesForOneLevel) {
  const auto links = all_links({{}, {10'000}, {20'000, 30'000}});
  EXPECT_EQ(depth(cluster_links(3, links)), 1U);
}

TEST(ClusterLinks, TellsRacksThatAreLittleFartherThanTheirNodes) {
  const auto links = all_links({{}, {20}, {40, 40}, {40, 40, 20}});
  EXPECT_EQ(innermost(cluster_links(4, links)), (Groups{{0, 1}, {2, 3}}));
}

TEST(ClusterLinks, RefusesLinksThatDoNotJoinAllNodes) {
  const std::vector<LinkSeen> links{{0, 1, microseconds(1), Time{}}};
  EXPECT_THROW((void)cluster_links(3, links), ContractViolation);
  EXPECT_THROW((void)cluster_links(0, {}), ContractViolation);
}

// Against brute force: with all pairs known and one clear gap, clusters are the classes of "nearer
// than the gap".
TEST(ClusterLinksProperty, FindsThePartitionThatTheLinksWereMadeFrom) {
  for_all_seeds(200, [](Random& rng) {
    const auto n = static_cast<Node>(rng.between(4, 20));
    const auto classes = static_cast<Node>(rng.between(2, 4));
    std::vector<Node> class_of(n);
    for (Node i = 0; i < n; ++i) {
      class_of[i] = i < 2 * classes ? i % classes : static_cast<Node>(rng.below(classes));
    }
    if (n < 2 * classes) return;
    std::vector<LinkSeen> links;
    for (Node i = 0; i < n; ++i) {
      for (Node j = i + 1; j < n; ++j) {
        const std::int64_t base = class_of[i] == class_of[j] ? 100 : 1'000;
        const Time latency = microseconds(base + rng.between(0, base / 5));
        links.push_back({i, j, latency, Time{latency.picoseconds / 20}});
      }
    }
    Groups expected(classes);
    for (Node i = 0; i < n; ++i) expected[class_of[i]].push_back(i);
    std::sort(expected.begin(), expected.end());
    ASSERT_EQ(innermost(cluster_links(n, links)), expected);
  });
}

}  // namespace
}  // namespace espalier::discover
