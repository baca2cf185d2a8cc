// What discovery asks of a node of a large machine: few others to talk to, and few rounds.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <iostream>
#include <numeric>
#include <set>

#include "discover/discovered.hpp"
#include "discover/probe_rounds.hpp"
#include "discover/simulated_prober.hpp"
#include "support/for_all_seeds.hpp"
#include "topology/readers.hpp"

namespace espalier::discover {
namespace {

using topology::Machine;

constexpr Budget kAllTheTime{seconds(100'000), 1'000};

std::size_t log_of(Node n) { return static_cast<std::size_t>(std::bit_width(n - 1)); }

/// Hands on to a simulation, and notes who was paired with whom, in how many rounds.
class WatchedProber : public Prober {
 public:
  WatchedProber(const Machine& machine, std::uint64_t seed)
      : prober_(machine, {.seed = seed, .noise_percent = 10, .outlier_percent = 5}),
        partners_(machine.size()) {}

  [[nodiscard]] Node size() const override { return prober_.size(); }
  [[nodiscard]] Time spent() const override { return prober_.spent(); }
  Expected<std::vector<std::vector<Measured>>> run(std::span<const Round> rounds) override {
    rounds_ += rounds.size();
    ++runs_;
    for (const Round& round : rounds) {
      for (const Experiment& e : round) {
        partners_[e.from].insert(e.to);
        partners_[e.to].insert(e.from);
      }
    }
    return prober_.run(rounds);
  }

  [[nodiscard]] std::size_t rounds() const { return rounds_; }
  [[nodiscard]] std::size_t runs() const { return runs_; }
  [[nodiscard]] std::size_t most_partners_of_one() const {
    std::size_t most = 0;
    for (const auto& others : partners_) most = std::max(most, others.size());
    return most;
  }
  [[nodiscard]] const std::vector<std::set<Node>>& partners() const { return partners_; }

 private:
  SimulatedProber prober_;
  std::vector<std::set<Node>> partners_;
  std::size_t rounds_ = 0;
  std::size_t runs_ = 0;
};

/// Clusters of a machine that hold several members, and across which some pair was measured.
struct PairClasses {
  std::size_t all = 0;
  std::size_t measured = 0;
};
PairClasses pair_classes(const Machine& machine, const std::vector<std::set<Node>>& partners) {
  std::set<topology::ClusterId> crossed;
  for (Node a = 0; a < partners.size(); ++a) {
    for (const Node b : partners[a]) {
      topology::ClusterId meeting = 0;
      const auto of_a = machine.clusters_of(a), of_b = machine.clusters_of(b);
      for (std::size_t i = 0; i < std::min(of_a.size(), of_b.size()) && of_a[i] == of_b[i]; ++i) {
        meeting = of_a[i];
      }
      crossed.insert(meeting);
    }
  }
  PairClasses result;
  for (topology::ClusterId c = 0; c < machine.clusters().size(); ++c) {
    if (machine.clusters()[c].member_count < 2) continue;
    ++result.all;
    result.measured += crossed.count(c);
  }
  return result;
}

Machine large_machine(const std::string& line) {
  auto machine = topology::parse_synthetic(line);
  EXPECT_TRUE(machine) << machine.error();
  return *machine;
}

/// In an order that tells something, as names and subnets do.
std::vector<Node> by_leaf(const Machine& machine) {
  std::vector<Node> order(machine.size());
  for (Node leaf = 0; leaf < order.size(); ++leaf) order[leaf] = machine.rank_at(leaf);
  return order;
}

std::vector<NodeInfo> named_by_place(const Machine& machine) {
  std::vector<NodeInfo> infos;
  for (Node i = 0; i < machine.size(); ++i) {
    const std::string number = std::to_string(1'000'000 + machine.leaf_of(i));
    infos.push_back({"n" + number, "", {i}, plain_inside(1), Time{}});
  }
  return infos;
}

/// 10,240 nodes: 8 sites of 40 racks of 32.
TEST(DiscoveryAtScale, TenThousandNodesTakeFewPartnersAndRounds) {
  const Machine machine = large_machine(
      "site:8(10ms,10Gbit/s) rack:40(100us,10Gbit/s) host:32(10us,10Gbit/s,send=1us)");
  WatchedProber prober(machine, 1);
  const auto found = survey(prober, by_leaf(machine), kAllTheTime);
  ASSERT_TRUE(found);
  const Node n = machine.size();
  EXPECT_EQ(found->clusters.members.size(), 8U);
  EXPECT_EQ(innermost(found->clusters).size(), 320U);
  const PairClasses classes = pair_classes(machine, prober.partners());
  EXPECT_EQ(classes.measured, classes.all);
  EXPECT_EQ(found->rounds, prober.rounds());
  EXPECT_LE(prober.most_partners_of_one(), most_partners(n));
  EXPECT_LE(prober.rounds(), 12 * log_of(n));
  std::cout << n << " nodes: " << found->probes << " probes in " << prober.rounds()
            << " rounds, at most " << prober.most_partners_of_one() << " partners, "
            << prober.runs() << " times told, " << prober.spent() << "\n";
}

/// Bandwidths too, whatever the machine: rounds grow with the logarithm and with the levels.
TEST(DiscoveryAtScaleProperty, EveryPairClassIsMeasuredWithFewPartnersInFewRounds) {
  for_all_seeds(12, [](Random& rng) {
    const std::string line = "site:" + std::to_string(rng.between(1, 5)) +
                             "(10ms,1Gbit/s) rack:" + std::to_string(rng.between(2, 12)) +
                             "(200us,10Gbit/s) host:" + std::to_string(rng.between(2, 40)) +
                             "(20us,10Gbit/s,send=1us,recv=1us)";
    SCOPED_TRACE(line);
    const Machine ordered = large_machine(line);
    const Machine machine =
        with_placement(ordered, topology::random_placement(ordered, rng.next()));
    const Node n = machine.size();
    WatchedProber prober(machine, rng.next());
    Budget budget = kAllTheTime;
    budget.eager_limits = false;
    const auto found = discover(prober, named_by_place(machine), budget);
    ASSERT_TRUE(found) << found.error();
    const PairClasses classes = pair_classes(machine, prober.partners());
    ASSERT_EQ(classes.measured, classes.all);
    const std::size_t levels = machine.levels().size();
    // Bandwidths: both ways round at each level, alone and together, and third opinions.
    ASSERT_LE(prober.most_partners_of_one(), most_partners(n) + 8 * levels);
    ASSERT_LE(prober.rounds(), 12 * log_of(n) + 40 * levels);
  });
}

/// The bounds hold even if the order of the nodes says nothing of where they stand.
TEST(DiscoveryAtScaleProperty, BoundsHoldInAnOrderThatSaysNothing) {
  for_all_seeds(4, [](Random& rng) {
    const Machine ordered = large_machine("site:4(10ms) rack:20(200us) host:16(20us,send=1us)");
    const Machine machine =
        with_placement(ordered, topology::random_placement(ordered, rng.next()));
    WatchedProber prober(machine, rng.next());
    std::vector<Node> order(machine.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto found = survey(prober, order, kAllTheTime);
    ASSERT_TRUE(found);
    ASSERT_LE(prober.most_partners_of_one(), most_partners(machine.size()));
    ASSERT_LE(prober.rounds(), 12 * log_of(machine.size()));
  });
}

}  // namespace
}  // namespace espalier::discover
