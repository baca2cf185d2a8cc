#include "discover/discovered.hpp"

#include <gtest/gtest.h>

#include "discover/simulated_prober.hpp"
#include "support/for_all_seeds.hpp"
#include "support/test_data.hpp"
#include "topology/readers.hpp"
#include "topology/writers.hpp"

namespace espalier::discover {
namespace {

using topology::Machine;

constexpr Disturbance kNoise{.seed = 3, .noise_percent = 10, .outlier_percent = 5};
/// A slow link is measured once or twice only: its rate is as good as these measurements.
constexpr Disturbance kLittleNoise{.seed = 3, .noise_percent = 3};
constexpr Budget kPlenty{seconds(1'000), 1'000};

/// Node i is rank i, alone on it.
std::vector<NodeInfo> one_rank_each(Node nodes) {
  std::vector<NodeInfo> infos;
  for (Node i = 0; i < nodes; ++i) {
    infos.push_back({"n" + std::to_string(i), "", {i}, plain_inside(1), Time{}});
  }
  return infos;
}

Machine machine_called(const std::string& line) {
  auto machine = topology::parse_synthetic(line);
  EXPECT_TRUE(machine) << machine.error();
  return *machine;
}

Discovered discovered(const Machine& machine, const Disturbance& disturbance = kLittleNoise,
                      const Transport& transport = {}) {
  SimulatedProber prober(machine, disturbance, transport);
  auto result = discover(prober, one_rank_each(machine.size()), kPlenty);
  EXPECT_TRUE(result) << result.error();
  return *result;
}

std::string said(const Discovered& found) {
  std::string all;
  for (const std::string& sentence : found.words) all += sentence + "\n";
  return all;
}

void expect_close(const Machine& found, const Machine& truth) {
  for (Rank a = 0; a < truth.size(); ++a) {
    for (Rank b = 0; b < truth.size(); ++b) {
      if (a == b) continue;
      SCOPED_TRACE(std::to_string(a) + " to " + std::to_string(b));
      const topology::Path real = truth.path(a, b);
      const topology::Path seen = found.path(a, b);
      const double cost = to_microseconds(truth.costs(a).recv.fixed + truth.costs(b).recv.fixed);
      EXPECT_NEAR(to_microseconds(seen.latency), to_microseconds(real.latency),
                  0.1 * to_microseconds(real.latency) + cost);
      const auto rate = static_cast<double>(real.bandwidth.bits_per_second);
      EXPECT_NEAR(static_cast<double>(seen.bandwidth.bits_per_second), rate, 0.15 * rate);
      EXPECT_EQ(seen.level, real.level);
    }
  }
}

TEST(Discover, MeasuresLatenciesAndBandwidths) {
  for (const char* line :
       {"host:2(30us,10Gbit/s,send=3us)", "host:3(250us,1Gbit/s,send=5us,recv=2us)",
        "site:2(10ms,100Mbit/s) host:1|2(250us,1Gbit/s,send=5us)",
        "site:3(30ms,50Mbit/s|80Mbit/s|200Mbit/s) host:2|3|4(100us,1Gbit/s,send=5us)",
        "site:2(10ms,100Mbit/s) rack:2(200us,500Mbit/s) host:3(20us,1Gbit/s,send=2us)"}) {
    SCOPED_TRACE(line);
    const Machine truth = machine_called(line);
    const Discovered found = discovered(truth);
    expect_close(found.machine, truth);
    EXPECT_TRUE(found.complete);
    EXPECT_LT(found.fit.median_error, 0.1);
    const std::string json = topology::write_json(found.machine);
    EXPECT_EQ(*topology::read_json(json, "json"), found.machine);
  }
}

TEST(Discover, KeepsUnequalDistancesOnOneLevel) {
  const auto truth = topology::read_json(R"({"format": "espalier-machine-1",
    "levels": [{"name": "wan", "members": "site", "latency": "20 ms", "uplink": "100 Mbit/s"},
               {"name": "lan", "members": "host", "latency": "250 us", "uplink": "1 Gbit/s"}],
    "pairs": [{"between": ["a", "b"], "latency": "10 ms"}, {"between": ["b", "c"], "latency": "30 ms"}],
    "children": [{"name": "a", "processes": 1}, {"name": "b", "processes": 2},
                 {"name": "c", "processes": 3}]})",
                                         "three sites");
  ASSERT_TRUE(truth) << truth.error();
  const Discovered found = discovered(*truth);
  expect_close(found.machine, *truth);
  EXPECT_NE(said(found).find("3 sites 10"), std::string::npos) << said(found);
}

TEST(Discover, KeepsUnequalDistancesBetweenSitesWhoseNamesAreNumbers) {
  const auto truth = topology::read_json(R"({"format": "espalier-machine-1",
    "levels": [{"name": "wan", "members": "site", "latency": "20 ms", "uplink": "100 Mbit/s"},
               {"name": "lan", "members": "host", "latency": "250 us", "uplink": "1 Gbit/s"}],
    "pairs": [{"between": ["2", "3"], "latency": "60 ms"}],
    "children": [{"name": "1", "processes": 2}, {"name": "2", "processes": 2},
                 {"name": "3", "processes": 2}]})",
                                         "three sites");
  ASSERT_TRUE(truth) << truth.error();
  auto infos = one_rank_each(truth->size());
  for (Node node = 0; node < truth->size(); ++node)
    infos[node].place = std::to_string(node / 2 + 1);
  SimulatedProber prober(*truth, kLittleNoise);
  const auto found = discover(prober, infos, kPlenty);
  ASSERT_TRUE(found) << found.error();
  expect_close(found->machine, *truth);
}

/// Rates of single pairs decide which tree an irregular scatter takes.
TEST(Discover, KeepsPairsThatCarryLessThanTheirUplinks) {
  const auto truth = [](const std::string& pairs) {
    return *topology::read_json(R"({"format": "espalier-machine-1",
    "levels": [{"name": "wan", "members": "site", "latency": "10 ms", "uplink": "1 Gbit/s"},
               {"name": "lan", "members": "host", "latency": "250 us", "uplink": "1 Gbit/s"}],
    "pairs": [)" + pairs + R"(],
    "children": [{"name": "a", "processes": 2}, {"name": "b", "processes": 2},
                 {"name": "c", "processes": 2}, {"name": "d", "processes": 2}]})",
                                "four sites");
  };
  const Machine neighbours = truth(R"({"between": ["b", "c"], "capacity": "100 Mbit/s"})");
  const Discovered found = discovered(neighbours);
  expect_close(found.machine, neighbours);
  EXPECT_NE(said(found).find("1 pair of only 9"), std::string::npos) << said(found);
  // Not neighbours on the ring of all sites: only where every pair is tried.
  const Machine across =
      truth(R"({"between": ["a", "c"], "latency": "30 ms", "capacity": "50 Mbit/s"})");
  expect_close(discovered(across).machine, across);
  SimulatedProber prober(across, kLittleNoise);
  Budget without = kPlenty;
  without.pair_rates = false;
  const auto less = discover(prober, one_rank_each(across.size()), without);
  ASSERT_TRUE(less) << less.error();
  EXPECT_GT(less->machine.path(0, 4).bandwidth, bits_per_second(500'000'000));
}

TEST(Discover, EqualPartsStayEqualThoughTheyWereMeasuredApart) {
  const Machine truth = machine_called(
      "site:3(10ms,200Mbit/s) "
      "host:4(250us,1Gbit/s,send=5us*4|400us*4|5us*4)");
  const Discovered found = discovered(truth);
  expect_close(found.machine, truth);
  const auto clusters = found.machine.clusters();
  ASSERT_EQ(clusters.size(), 4U);
  for (std::size_t site = 2; site <= 3; ++site) {
    EXPECT_EQ(clusters[site].channel, clusters[1].channel);
    EXPECT_EQ(clusters[site].uplink, clusters[1].uplink);
  }
  for (const Rank slow : {5U, 6U, 7U}) {
    EXPECT_EQ(found.machine.costs(slow), found.machine.costs(4));
  }
}

TEST(Discover, TellsTheCapOfAFlowFromTheCapacityOfALink) {
  const Machine capped =
      machine_called("site:2(10ms,1Gbit/s,cap=100Mbit/s) host:4(100us,1Gbit/s,send=2us)");
  const Discovered found = discovered(capped);
  const topology::Cluster& whole = found.machine.clusters()[0];
  EXPECT_NEAR(static_cast<double>(whole.channel.flow_cap.bits_per_second), 1e8, 1.5e7);
  EXPECT_GT(found.machine.clusters()[1].uplink.out, bits_per_second(300'000'000));

  const Machine shared = machine_called("site:2(10ms,100Mbit/s) host:4(100us,1Gbit/s,send=2us)");
  const Discovered other = discovered(shared);
  EXPECT_TRUE(other.machine.clusters()[0].channel.flow_cap.unlimited());
  EXPECT_NEAR(static_cast<double>(other.machine.clusters()[1].uplink.out.bits_per_second), 1e8,
              1.5e7);
}

TEST(Discover, TellsTheTwoDirectionsOfALinkApart) {
  for (const char* line :
       {"site:2(10ms,out=20Mbit/s|100Mbit/s,in=100Mbit/s) host:2(250us,1Gbit/s,send=5us)",
        "site:3(20ms,out=50Mbit/s|100Mbit/s|100Mbit/s,in=100Mbit/s|100Mbit/s|10Mbit/s) "
        "host:1|2|3(250us,1Gbit/s,send=5us)",
        "host:4(100us,out=1Gbit/s|100Mbit/s|1Gbit/s*2,in=1Gbit/s,send=2us)"}) {
    SCOPED_TRACE(line);
    const Machine truth = machine_called(line);
    expect_close(discovered(truth).machine, truth);
  }
}

TEST(Discover, SaysWhichNodeHasASlowLink) {
  const Machine truth = machine_called("host:6(100us,1Gbit/s*3|100Mbit/s|1Gbit/s*2,send=2us)");
  const Discovered found = discovered(truth);
  expect_close(found.machine, truth);
}

/// Several nodes of the first rack together get less than one of the others alone.
TEST(Discover, ASlowPartnerDoesNotNarrowWhatOthersShowed) {
  const Machine truth = machine_called("rack:3(200us,40Gbit/s) host:4(20us,1Gbit/s*4|10Gbit/s*8)");
  const Discovered found = discovered(truth, {});
  ASSERT_EQ(found.machine.clusters().size(), 4U);
  const auto uplink_above = [&](Rank rank) {
    return found.machine.clusters()[found.machine.cluster_of(found.machine.leaf_of(rank))].uplink;
  };
  for (const Rank fast : {4U, 8U}) {
    EXPECT_GE(uplink_above(fast).out, bits_per_second(9'000'000'000));
    EXPECT_GE(uplink_above(fast).in, bits_per_second(9'000'000'000));
  }
  EXPECT_GE(uplink_above(0).out, bits_per_second(3'500'000'000));
  EXPECT_LE(uplink_above(0).out, bits_per_second(5'000'000'000));
}

TEST(Discover, FindsTheEagerLimitAndWhatRendezvousTakes) {
  const Machine truth =
      machine_called("site:2(10ms,100Mbit/s) host:2(250us,1Gbit/s,send=5us,recv=5us)");
  const Discovered found = discovered(truth, kLittleNoise, {Bytes{32 << 10}, 4});
  ASSERT_EQ(found.eager.size(), 2U);
  for (const auto& level : found.eager) {
    ASSERT_TRUE(level);
    EXPECT_EQ(level->limit, Bytes{32 << 10});
    EXPECT_EQ(level->crossings, 4U);
  }
  for (const auto& level : discovered(truth).eager) EXPECT_FALSE(level);
}

/// TCP's first window is 10 packets; MPICH's rendezvous crosses four times more.
TEST(Discover, IsNotMisledByWindowsThatOpenTurnByTurn) {
  for (const char* line : {"site:2(10ms,100Mbit/s) host:1|2(250us,1Gbit/s,send=5us)",
                           "site:2(10ms,100Mbit/s) host:6(250us,1Gbit/s,send=5us)",
                           "site:3(30ms,50Mbit/s) host:1|2|3(250us,1Gbit/s,send=5us)"}) {
    for (const std::uint32_t crossings : {2U, 4U}) {
      SCOPED_TRACE(line);
      const Machine truth = machine_called(line);
      const Transport tcp{Bytes{32 << 10}, crossings, Bytes{14'600}};
      expect_close(discovered(truth, kLittleNoise, tcp).machine, truth);
    }
  }
  const Machine capped =
      machine_called("site:2(10ms,1Gbit/s,cap=100Mbit/s) host:4(100us,1Gbit/s,send=2us)");
  const Discovered found = discovered(capped, kLittleNoise, {Bytes{32 << 10}, 4, Bytes{14'600}});
  EXPECT_NEAR(static_cast<double>(found.machine.clusters()[0].channel.flow_cap.bits_per_second),
              1e8, 1.5e7);
}

TEST(DiscoverProperty, ReportsASlowNodeAtItsOwnSiteUnderTraffic) {
  for_all_seeds(20, [](Random& rng) {
    const Machine truth =
        machine_called("site:2(10ms,100Mbit/s) host:3|4(250us,1Gbit/s,send=50us*4|200us|50us*2)");
    const Discovered found = discovered(truth, {rng.next(), 10, 5, 50});
    ASSERT_EQ(found.machine.levels().size(), 2U);
    ASSERT_EQ(found.machine.clusters_of(4), found.machine.clusters_of(5));
    const std::string words = said(found);
    const std::size_t at = words.find("n4 sends ");
    ASSERT_NE(at, std::string::npos) << words;
    EXPECT_NEAR(std::stod(words.substr(at + 9)), 4.0, 0.4) << words;
    EXPECT_EQ(words.find("sends"), words.rfind("sends")) << words;
    ASSERT_NE(said(found).find("2 sites 10"), std::string::npos) << said(found);
  });
}

TEST(Discover, OneNodeIsAMachine) {
  const Machine alone = machine_called("host:1");
  EXPECT_EQ(discovered(alone).machine.size(), 1U);
}

TEST(Discover, RefusesNodesThatTheProberDoesNotHave) {
  const Machine machine = machine_called("host:2(1ms)");
  SimulatedProber prober(machine, {});
  EXPECT_THROW((void)discover(prober, one_rank_each(3)), ContractViolation);
}

/// Two nodes with 4 NUMA nodes in 2 packages each; ranks in turn over the nodes.
TEST(Discover, TakesTheInsideOfNodesFromHwlocAndBindings) {
  const auto cores = topology::read_hwloc(test_data("hwloc/two_packages_four_numa.xml"), "xml");
  ASSERT_TRUE(cores) << cores.error();
  const Machine& node = cores->machine;
  std::vector<std::vector<topology::Leaf>> bound;
  std::vector<NodeInfo> nodes(2);
  for (topology::Leaf leaf = 0; leaf < node.size(); ++leaf) bound.push_back({leaf});
  for (Node i = 0; i < 2; ++i) {
    nodes[i] = {"n" + std::to_string(i), "", {}, inside_of(node, bound), nanoseconds(400)};
    for (Rank r = 0; r < node.size(); ++r) nodes[i].ranks.push_back(2 * r + i);
  }
  const Machine network = machine_called("host:2(100us,1Gbit/s)");
  SimulatedProber prober(network, kNoise);
  const auto found = discover(prober, nodes, kPlenty);
  ASSERT_TRUE(found) << found.error();
  EXPECT_EQ(found->machine.size(), 2 * node.size());
  EXPECT_EQ(found->machine.levels().size(), 1 + node.levels().size());
  for (Rank a = 0; a < node.size(); ++a) {
    for (Rank b = 0; b < node.size(); ++b) {
      if (a == b) continue;
      EXPECT_EQ(found->machine.path(2 * a, 2 * b).level, 1 + node.path(a, b).level);
      EXPECT_EQ(found->machine.path(2 * a, 2 * b + 1).level, 0U);
    }
  }
}

TEST(InsideOf, LeavesAProcessThatMayMoveInTheNode) {
  const auto cores = topology::read_hwloc(test_data("hwloc/two_packages_four_numa.xml"), "xml");
  ASSERT_TRUE(cores);
  const NodeInside free = inside_of(cores->machine, std::vector<std::vector<topology::Leaf>>(3));
  EXPECT_EQ(free.node.members.size(), 3U);
  EXPECT_EQ(free.processes, (std::vector<std::uint32_t>{0, 1, 2}));
  // Two that share the first cores need no part of their own.
  const NodeInside near =
      inside_of(cores->machine, std::vector<std::vector<topology::Leaf>>{{0}, {1}});
  EXPECT_EQ(near.node.members.size(), 2U);
}

}  // namespace
}  // namespace espalier::discover
