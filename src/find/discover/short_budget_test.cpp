// What discovery writes where time is short: nothing that no reader takes, and no made-up figure.
#include <gtest/gtest.h>

#include <algorithm>

#include "discover/discovered.hpp"
#include "discover/rates.hpp"
#include "discover/simulated_prober.hpp"
#include "support/for_all_seeds.hpp"
#include "topology/readers.hpp"
#include "topology/writers.hpp"

namespace espalier::discover {
namespace {

using topology::Machine;

/// TCP's first window is 10 packets.
constexpr Transport kNewConnections{Bytes{32 << 10}, 2, Bytes{14'600}};
/// Two flows whose bursts never meet show no more than the half that the simulator gives to each,
/// and a sum of 0.8 of that is taken for the pace of a burst.
constexpr double kMostTooLow = 3;
constexpr double kMostTooHigh = 1.5;

Machine machine_in_haste(const std::string& line) {
  auto machine = topology::parse_synthetic(line);
  EXPECT_TRUE(machine) << line << ": " << machine.error();
  return *machine;
}

Discovered found_in_haste(const Machine& machine, const Budget& budget, std::uint64_t seed) {
  std::vector<NodeInfo> nodes;
  for (Node i = 0; i < machine.size(); ++i) {
    const std::string number = std::to_string(1'000 + i);
    nodes.push_back({"n" + number, "", {i}, plain_inside(1), Time{}});
  }
  SimulatedProber prober(machine, {.seed = seed, .noise_percent = 3}, kNewConnections);
  auto result = discover(prober, nodes, budget);
  EXPECT_TRUE(result) << result.error();
  return *result;
}

void expect_no_rate_is_zero(const Machine& machine) {
  constexpr Bandwidth kNothing{0};
  for (const topology::Cluster& cluster : machine.clusters()) {
    EXPECT_GT(cluster.uplink.out, kNothing);
    EXPECT_GT(cluster.uplink.in, kNothing);
    EXPECT_GT(cluster.channel.flow_cap, kNothing);
    for (const topology::PairLink& pair : machine.pairs(cluster)) {
      EXPECT_GT(pair.capacity, kNothing);
    }
  }
  for (Rank rank = 0; rank < machine.size(); ++rank) {
    const topology::Uplink& own = machine.leaf_uplink(machine.leaf_of(rank));
    EXPECT_GT(own.out, kNothing);
    EXPECT_GT(own.in, kNothing);
  }
}

void expect_readable(const Machine& machine) {
  const auto read = topology::read_json(topology::write_json(machine), "json");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(*read, machine);
}

/// Short trains show that the link is fast. There is no time for the longer ones that would tell
/// how fast: 20 round trips are used up.
TEST(ShortBudget, AFastFarLinkHasALowerBoundAndIsNotComplete) {
  const Machine truth = machine_in_haste("site:2(30ms,1Gbit/s) host:2(250us,1Gbit/s)");
  const Discovered found = found_in_haste(truth, Budget{}, 3);
  EXPECT_FALSE(found.complete);
  expect_no_rate_is_zero(found.machine);
  expect_readable(found.machine);
  EXPECT_TRUE(found.machine.clusters()[0].channel.flow_cap.unlimited());
  ASSERT_FALSE(found.words.empty());
  EXPECT_NE(found.words.front().find("uplinks of at least "), std::string::npos)
      << found.words.front();
}

/// Round trips of 1 to 200 ms, 10 Mbit/s to 10 Gbit/s, from 0.2 s on.
TEST(ShortBudgetProperty, WhatIsCompleteIsNearTheTruthAndAllIsReadable) {
  int complete = 0, incomplete = 0;
  const bool ran_all = for_all_seeds(300, [&](Random& rng) {
    const auto from = [&](std::int64_t least, std::int64_t most) {
      return rng.between(least, rng.between(least, most));  // low ones more often
    };
    const std::string sites = std::to_string(rng.between(2, 3));
    const std::string latency = std::to_string(from(500, 100'000)) + "us";
    const std::string rate = std::to_string(from(10, 10'000)) + "Mbit/s";
    const std::string hosts = rng.chance(30) ? "1" : rng.chance(60) ? "2" : "4";
    const std::string line = "site:" + sites + "(" + latency + "," + rate + ") host:" + hosts +
                             "(50us,10Gbit/s,send=2us)";
    const Budget budget{milliseconds(from(200, 5'000)), from(0, 60)};
    SCOPED_TRACE(line + " in " + std::to_string(to_seconds(budget.least)) + " s or " +
                 std::to_string(budget.round_trips) + " round trips");
    const Machine truth = machine_in_haste(line);
    const Discovered found = found_in_haste(truth, budget, rng.next());
    expect_no_rate_is_zero(found.machine);
    expect_readable(found.machine);
    ++(found.complete ? complete : incomplete);
    for (Rank a = 0; a < truth.size(); ++a) {
      for (Rank b = 0; b < truth.size(); ++b) {
        if (a == b) continue;
        EXPECT_GT(found.machine.path(a, b).latency, Time{});
        const Bandwidth seen = found.machine.path(a, b).bandwidth;
        if (!found.complete || !found.doubts.empty() || seen.unlimited()) continue;
        const double share = bits(seen) / bits(truth.path(a, b).bandwidth);
        EXPECT_GT(share, 1 / kMostTooLow) << a << " to " << b << ": " << seen;
        EXPECT_LT(share, kMostTooHigh) << a << " to " << b << ": " << seen;
      }
    }
  });
  if (!ran_all) return;
  EXPECT_GT(complete, 15);
  EXPECT_GT(incomplete, 15);
}

/// Answers every round trip after the same time.
class SteadyProber final : public Prober {
 public:
  explicit SteadyProber(Time answer) : answer_(answer) {}
  [[nodiscard]] Node size() const override { return 4; }
  [[nodiscard]] Time spent() const override { return Time{}; }
  Expected<std::vector<std::vector<Measured>>> run(std::span<const Round> rounds) override {
    std::vector<std::vector<Measured>> results;
    for (const Round& round : rounds) {
      results.emplace_back();
      for (std::size_t i = 0; i < round.size(); ++i) results.back().push_back({{answer_}, {}, {}});
    }
    return results;
  }

 private:
  Time answer_;
};

/// A slow moment made the time that is taken for fixed longer than all of the next transfer.
TEST(ShortBudget, ATransferFasterThanItsFixedTimeHasARateThatReadersTake) {
  SteadyProber prober(milliseconds(1));
  const std::vector<PairRound> rounds{{{0, 1}, {2, 3}}};
  const RateSeen slow_moment{bits_per_second(1'000'000'000), milliseconds(2)};
  const std::vector<std::vector<RateSeen>> alone{{slow_moment, slow_moment}};
  const auto rates = measure_together(prober, rounds, alone);
  ASSERT_TRUE(rates) << rates.error();
  for (const Bandwidth rate : rates->front()) EXPECT_LT(rate, bits_per_second(100'000'000'000));
}

}  // namespace
}  // namespace espalier::discover
