#include "discover/survey.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <iostream>
#include <numeric>
#include <set>

#include "discover/simulated_prober.hpp"
#include "support/for_all_seeds.hpp"
#include "topology/machine_spec.hpp"
#include "topology/readers.hpp"

namespace espalier::discover {
namespace {

using topology::Machine;

constexpr Budget kPlentyOfTime{seconds(1'000), 1'000};
constexpr Disturbance kSurveyNoise{.seed = 1, .noise_percent = 10, .outlier_percent = 5};

std::vector<Node> in_order(Node n) {
  std::vector<Node> order(n);
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

/// The clusters that a machine has, as far as messages can tell: one with a single member is none.
LinkCluster clusters_of(const Machine& machine, const topology::Cluster& cluster) {
  LinkCluster result;
  for (std::uint32_t i = 0; i < cluster.leaf_count; ++i) {
    result.nodes.push_back(machine.rank_at(cluster.first_leaf + i));
  }
  std::sort(result.nodes.begin(), result.nodes.end());
  for (const topology::Member& member : machine.members(cluster)) {
    result.members.push_back(member.is_leaf ? LinkCluster{{machine.rank_at(member.id)}, {}}
                                            : clusters_of(machine, machine.clusters()[member.id]));
  }
  std::sort(result.members.begin(), result.members.end(),
            [](const LinkCluster& x, const LinkCluster& y) { return x.nodes < y.nodes; });
  if (result.members.size() == 1) return LinkCluster(result.members.front());
  return result;
}

LinkCluster clusters_of(const Machine& machine) {
  return clusters_of(machine, machine.clusters()[0]);
}

Survey surveyed(const Machine& machine, const Disturbance& disturbance, const Budget& budget = {}) {
  SimulatedProber prober(machine, disturbance);
  auto result = survey(prober, in_order(machine.size()), budget);
  EXPECT_TRUE(result) << result.error();
  return *result;
}

Machine surveyed_machine(const std::string& line) {
  auto machine = topology::parse_synthetic(line);
  EXPECT_TRUE(machine) << machine.error();
  return *machine;
}

TEST(Survey, FindsTheLevelsOfSmallMachines) {
  for (const char* line : {"host:1", "host:3(250us,1Gbit/s,send=5us,recv=5us)",
                           "site:2(10ms,100Mbit/s) host:1|2(250us,1Gbit/s,send=5us)",
                           "site:3(10ms) host:1|2|3(250us,send=20us,recv=10us)",
                           "site:2(10ms) rack:2(200us) host:3(20us,send=2us,recv=3us)",
                           "site:2(30ms) lab:2(3ms) rack:2(200us) host:4(20us)"}) {
    SCOPED_TRACE(line);
    const Machine machine = surveyed_machine(line);
    EXPECT_EQ(surveyed(machine, kSurveyNoise).clusters, clusters_of(machine));
  }
}

/// A random tree of clusters with 2 to 4 members each; every level is 4 to 12 times nearer.
topology::MemberSpec random_members(Random& rng, int levels, std::int64_t latency_ns, bool slow) {
  topology::MemberSpec cluster;
  cluster.channel.latency = nanoseconds(latency_ns);
  const std::int64_t count = rng.between(2, levels == 1 ? 5 : 3);
  const std::int64_t nearer = latency_ns / rng.between(4, 12);
  for (std::int64_t i = 0; i < count; ++i) {
    if (levels > 1) {
      cluster.members.push_back(random_members(rng, levels - 1, nearer, slow));
      continue;
    }
    topology::MemberSpec node;
    const Time cost = nanoseconds(slow && rng.chance(20) ? rng.between(20'000, 400'000)
                                                         : rng.between(1'000, 5'000));
    node.costs.send = topology::Cost{cost, kUnlimited};
    cluster.members.push_back(node);
  }
  return cluster;
}

Machine random_levels(Random& rng, bool slow) {
  const int levels = static_cast<int>(rng.between(1, 4));
  topology::MachineSpec spec;
  spec.where = "random levels";
  spec.whole = random_members(rng, levels, rng.between(20'000'000, 100'000'000), slow);
  auto machine = build_machine(spec);
  EXPECT_TRUE(machine) << machine.error();
  return with_placement(*machine, topology::random_placement(*machine, rng.next()));
}

TEST(SurveyProperty, FindsRandomMachinesOfOneToFourLevels) {
  for_all_seeds(300, [](Random& rng) {
    const Machine machine = random_levels(rng, /*slow=*/false);
    ASSERT_EQ(surveyed(machine, {rng.next(), 10, 5, 0}, kPlentyOfTime).clusters,
              clusters_of(machine));
  });
}

TEST(SurveyProperty, LeavesSlowNodesAtTheirSite) {
  for_all_seeds(300, [](Random& rng) {
    const Machine machine = random_levels(rng, /*slow=*/true);
    const Survey found = surveyed(machine, {rng.next(), 10, 5, 0}, kPlentyOfTime);
    ASSERT_EQ(found.clusters, clusters_of(machine));
    for (Node i = 0; i < machine.size() && machine.size() > 1; ++i) {
      const Time cost = machine.costs(i).send.fixed;
      ASSERT_GE(found.costs[i].send, cost);
      ASSERT_LE(10 * found.costs[i].send.picoseconds, 11 * cost.picoseconds);
    }
  });
}

TEST(SurveyProperty, IsNotMisledByTrafficOfOthers) {
  for_all_seeds(100, [](Random& rng) {
    const Machine machine = surveyed_machine("site:3(10ms) host:1|2|4(250us,1Gbit/s,send=5us)");
    ASSERT_EQ(surveyed(machine, {rng.next(), 10, 5, 60}).clusters, clusters_of(machine));
  });
}

TEST(Survey, FindsASlowReceiver) {
  const Machine machine = surveyed_machine("host:6(50us,send=5us,recv=5us*3|400us|5us*2)");
  const Survey found = surveyed(machine, kSurveyNoise);
  EXPECT_EQ(found.clusters, clusters_of(machine));
  EXPECT_NEAR(to_microseconds(found.costs[3].recv), 400, 40);
}

/// n log n, whatever the order of the nodes.
TEST(Survey, NeedsFewProbesOnLargeMachines) {
  for (const bool shuffled : {false, true}) {
    for (const std::uint64_t sites : {1, 2, 4}) {
      const std::string line =
          "site:" + std::to_string(sites) + "(10ms) rack:8(200us) host:32(20us,send=2us,recv=2us)";
      Machine machine = surveyed_machine(line);
      if (shuffled) machine = with_placement(machine, topology::random_placement(machine, 7));
      SimulatedProber prober(machine, kSurveyNoise);
      auto found = survey(prober, in_order(machine.size()), kPlentyOfTime);
      ASSERT_TRUE(found);
      EXPECT_EQ(found->clusters, clusters_of(machine));
      EXPECT_EQ(found->uncompared, 0U);
      const std::uint64_t n = machine.size();
      EXPECT_LE(found->probes, 2 * n * static_cast<std::size_t>(std::bit_width(n - 1)) + 6 * n);
      RecordProperty("probes." + std::to_string(n) + (shuffled ? ".shuffled" : ""),
                     static_cast<int>(found->probes));
      std::cout << n << " nodes" << (shuffled ? ", shuffled" : "") << ": " << found->probes
                << " probes, " << prober.messages() << " messages, " << prober.spent() << "\n";
    }
  }
}

TEST(Survey, WaitsForFarLinksButNotForBusyComputers) {
  RoundTrips seen(2);
  seen.add(0, 1, milliseconds(350));
  Budget budget;
  EXPECT_EQ(deadline(budget, seen), seconds(7));
  budget.most = seconds(2);
  EXPECT_EQ(deadline(budget, seen), seconds(2));
  EXPECT_EQ(deadline(budget, RoundTrips(2)), seconds(1));
}

TEST(Survey, SaysWhenItsTimeIsOver) {
  const Machine machine = surveyed_machine("site:4(10ms) rack:4(200us) host:8(20us)");
  const Machine mixed = with_placement(machine, topology::random_placement(machine, 3));
  SimulatedProber prober(mixed, kSurveyNoise);
  auto found = survey(prober, in_order(mixed.size()), {milliseconds(1), 1});
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->out_of_time);
  EXPECT_GT(found->uncompared, 0U);
}

TEST(FirstPairs, AreAllOfAFewNodesAndFewOfMany) {
  for (Node n = 1; n < 200; ++n) {
    std::set<NodePair> pairs;
    std::size_t count = 0;
    for (const PairRound& round : first_pairs(in_order(n))) {
      Round experiments;
      for (const auto& [a, b] : round) experiments.push_back({.from = a, .to = b});
      ASSERT_TRUE(is_sound(experiments, n));
      pairs.insert(round.begin(), round.end());
      count += round.size();
    }
    const std::size_t log = static_cast<std::size_t>(std::bit_width(n - 1));
    if (n <= kAllPairsUpTo) {
      ASSERT_EQ(pairs.size(), n * (n - 1) / 2);
    } else {
      ASSERT_LE(count, n - 1 + (log - 1) * n / 2);
    }
    ASSERT_TRUE(n <= 16 || pairs.size() < n * (n - 1) / 2);
  }
}

TEST(SimulatedProber, RefusesANodeInTwoExperiments) {
  const Machine machine = surveyed_machine("host:3(1ms)");
  SimulatedProber prober(machine, {});
  const std::vector<Round> rounds{{{.from = 0, .to = 1}, {.from = 1, .to = 2}}};
  EXPECT_THROW((void)prober.run(rounds), ContractViolation);
}

}  // namespace
}  // namespace espalier::discover
