#include "lab/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/units.hpp"
#include "support/for_all_seeds.hpp"
#include "topology/load_machine.hpp"
#include "topology/random_machine.hpp"

namespace espalier::lab {
namespace {

topology::Machine machine(const std::string& text) {
  return topology::load_machine(text).value().machine;
}

std::vector<std::string> names(const LabPlan& plan) {
  std::vector<std::string> out;
  for (const LabHost& h : plan.hosts) out.push_back(h.name);
  return out;
}

std::vector<std::string> route_names(const LabPlan& plan, std::size_t from, std::size_t to) {
  std::vector<std::string> out;
  for (const std::uint32_t l : plan.route(from, to)) out.push_back(plan.links[l].name);
  return out;
}

using Names = std::vector<std::string>;

TEST(LabHosts, AreTheInnermostClustersOfProcesses) {
  const LabPlan plan = plan_lab(machine("site:2(10ms) node:1|2(1ms) proc:4")).value();
  EXPECT_EQ(names(plan), (Names{"site0-node0", "site1-node0", "site1-node1"}));
  EXPECT_EQ(plan.hosts[1].ranks, (std::vector<Rank>{4, 5, 6, 7}));
  EXPECT_EQ(address_text(plan.hosts[2].address), "10.1.0.3");
}

TEST(LabHosts, HoldTheSocketsOfAComputer) {
  const LabPlan plan = plan_lab(machine("node:2(1ms) socket:2(1us) core:2")).value();
  EXPECT_EQ(names(plan), (Names{"node0", "node1"}));
  EXPECT_EQ(plan.hosts[1].ranks.size(), 4U);
}

TEST(LabHosts, AreProcessesWhereNothingElseIsThere) {
  EXPECT_EQ(plan_lab(machine("proc:8(send=100us|300us*7)")).value().hosts.size(), 8U);
  // Leaves that are not called processes are computers.
  EXPECT_EQ(plan_lab(machine("site:2(10ms) workstation:3(1ms)")).value().hosts.size(), 6U);
}

TEST(LabHosts, AreRefusedWhereThereAreTooMany) {
  const auto plan = plan_lab(machine("workstation:251"));
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().what, "the machine has 251 computers, more than 250");
}

TEST(LabPlan, LeadsThroughUplinksAndOneWay) {
  const LabPlan plan =
      plan_lab(machine("site:2(10ms,100Mbit/s,name=wan) node:1|2(1ms,1Gbit/s,name=lan) proc:4"))
          .value();
  EXPECT_EQ(route_names(plan, 0, 1),
            (Names{"site0.node0:out", "site0:backbone", "site0:out", "machine:backbone",
                   "wan:site0>site1", "site1:in", "site1:backbone", "site1.node0:in"}));
  EXPECT_EQ(route_names(plan, 2, 1), (Names{"site1.node1:out", "site1:backbone",
                                            "lan:site1.node1>site1.node0", "site1.node0:in"}));
  EXPECT_EQ(plan.delay(0, 1), milliseconds(10));
  EXPECT_EQ(plan.delay(2, 1), milliseconds(1));
}

TEST(LabPlan, SharesOneLinkBothWaysWhereItIsHalfDuplex) {
  const LabPlan plan = plan_lab(machine("node:2(1ms,10Mbit/s,duplex=half) proc:1")).value();
  EXPECT_EQ(plan.route(0, 1).front(), plan.route(1, 0).back());
}

/// What a process pays on its way out of its host, which the lab does not have.
Time inside(const topology::Machine& m, const LabHost& host) {
  if (host.place.is_leaf) return {};
  const topology::Leaf leaf = m.leaf_of(host.ranks[0]);
  Time sum = m.leaf_uplink(leaf).latency;
  for (topology::ClusterId c = m.cluster_of(leaf); c != host.place.id; c = m.clusters()[c].parent) {
    sum += m.clusters()[c].uplink.latency;
  }
  return sum;
}

void expect_path(const topology::Machine& m, const LabPlan& plan, std::size_t a, std::size_t b) {
  const LabHost& from = plan.hosts[a];
  const LabHost& to = plan.hosts[b];
  const topology::Path path = m.path(from.ranks[0], to.ranks[0]);
  Bandwidth narrowest = kUnlimited;
  int ways = 0;
  for (const std::uint32_t l : plan.route(a, b)) {
    narrowest = std::min({narrowest, plan.links[l].rate, plan.links[l].flow_cap});
    ways += plan.links[l].kind == LinkKind::Way ? 1 : 0;
  }
  ASSERT_EQ(plan.delay(a, b) + inside(m, from) + inside(m, to), path.latency);
  ASSERT_GE(narrowest, path.bandwidth);
  if (from.place.is_leaf && to.place.is_leaf) {
    ASSERT_EQ(narrowest, path.bandwidth);
  }
  ASSERT_EQ(ways, 1);
}

TEST(LabPlanProperty, HasTheLatenciesAndRatesOfTheMachine) {
  std::size_t clusters = 0;
  std::size_t leaves = 0;
  const bool ran_all = for_all_seeds(300, [&](Random& rng) {
    const topology::Machine m =
        topology::random_machine(rng.next(), {.max_processes = 24, .max_levels = 4});
    const LabPlan plan = plan_lab(m).value();
    std::set<Rank> ranks;
    std::set<std::string> hostnames;
    for (std::size_t a = 0; a < plan.hosts.size(); ++a) {
      (plan.hosts[a].place.is_leaf ? leaves : clusters) += 1;
      ranks.insert(plan.hosts[a].ranks.begin(), plan.hosts[a].ranks.end());
      hostnames.insert(plan.hosts[a].name);
      for (std::size_t b = 0; b < plan.hosts.size(); ++b) {
        if (a != b) expect_path(m, plan, a, b);
      }
    }
    ASSERT_EQ(ranks.size(), m.size());
    ASSERT_EQ(hostnames.size(), plan.hosts.size());
  });
  if (ran_all) {
    EXPECT_GT(clusters, 100U);
    EXPECT_GT(leaves, 100U);
  }
}

}  // namespace
}  // namespace espalier::lab
