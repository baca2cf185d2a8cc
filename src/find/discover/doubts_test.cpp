#include "discover/doubts.hpp"

#include <gtest/gtest.h>

#include "discover/discovered.hpp"
#include "discover/simulated_prober.hpp"
#include "support/for_all_seeds.hpp"
#include "topology/readers.hpp"

namespace espalier::discover {
namespace {

using Samples = std::vector<Time>;

std::vector<std::string> doubts_about(const Disturbance& disturbance) {
  const auto machine = topology::parse_synthetic("site:2(2ms,100Mbit/s) host:3(250us,1Gbit/s)");
  std::vector<NodeInfo> nodes;
  for (Rank i = 0; i < machine->size(); ++i) nodes.push_back({"n", "", {i}, plain_inside(1), {}});
  SimulatedProber prober(*machine, disturbance);
  return discover(prober, nodes, {seconds(100), 1'000})->doubts;
}

TEST(Doubts, SamplesAreSpreadIfTheBestIsNotSeenAgain) {
  EXPECT_FALSE(is_spread(Samples{}));
  EXPECT_FALSE(is_spread(Samples{microseconds(100)}));
  EXPECT_FALSE(is_spread(Samples{microseconds(900), microseconds(100), microseconds(110)}));
  EXPECT_TRUE(is_spread(Samples{microseconds(900), microseconds(100), microseconds(160)}));
  EXPECT_FALSE(is_spread(Samples{microseconds(10), microseconds(29)}));  // the scheduler's grain
}

/// Answers every experiment with the same samples.
class RepeatingProber final : public Prober {
 public:
  explicit RepeatingProber(Samples samples) : samples_(std::move(samples)) {}
  [[nodiscard]] Node size() const override { return 2; }
  [[nodiscard]] Time spent() const override { return Time{}; }
  Expected<std::vector<std::vector<Measured>>> run(std::span<const Round> rounds) override {
    std::vector<std::vector<Measured>> results;
    for (const Round& round : rounds) {
      results.emplace_back(round.size(), Measured{samples_, {}, {}});
    }
    return results;
  }

 private:
  Samples samples_;
};

/// The last entry of several round trips is their least ways there and back: no sample of its own.
TEST(Doubts, TheLeastWaysOfRoundTripsDoNotHideThatSamplesAreSpread) {
  const auto spread_of = [](Kind kind, Samples samples) {
    RepeatingProber real(std::move(samples));
    DoubtingProber prober(real);
    const std::vector<Round> rounds{Round{Experiment{.kind = kind, .from = 0, .to = 1}}};
    EXPECT_TRUE(prober.run(rounds));
    return prober.spread();
  };
  const Samples busy{microseconds(100), microseconds(300), microseconds(310), microseconds(100)};
  EXPECT_EQ(spread_of(Kind::RoundTrip, busy), 1U);
  EXPECT_EQ(spread_of(Kind::Stream, busy), 0U);
  const Samples quiet{microseconds(160), microseconds(170), microseconds(100)};
  EXPECT_EQ(spread_of(Kind::RoundTrip, quiet), 0U);
}

TEST(DoubtsProperty, AQuietNetworkGivesNone) {
  for_all_seeds(50, [](Random& rng) {
    const Disturbance usual{.seed = rng.next(), .noise_percent = 10, .outlier_percent = 5};
    EXPECT_TRUE(doubts_about(usual).empty());
  });
}

TEST(DoubtsProperty, OneThatIsHeldUpAllTheTimeGivesSome) {
  for_all_seeds(50, [](Random& rng) {
    const Disturbance busy{.seed = rng.next(), .noise_percent = 900, .outlier_percent = 60};
    const std::vector<std::string> doubts = doubts_about(busy);
    ASSERT_FALSE(doubts.empty());
    EXPECT_TRUE(doubts.front().starts_with("uncertain: in ")) << doubts.front();
  });
}

TEST(Doubts, TimeThatWasNotMeantIsOne) {
  EXPECT_TRUE(doubts_of(10, 2, seconds(2), seconds(1)).empty());
  EXPECT_EQ(doubts_of(10, 0, seconds(28), seconds(1)).front(),
            "uncertain: measuring took 28 s, where 1 s was meant: something held it up");
}

TEST(Doubts, BusyNodesAreNamed) {
  EXPECT_TRUE(doubts_of(std::vector<NodeLoad>{{"a", 1.9, 2}, {"b", 50, 0}}).empty());
  EXPECT_EQ(doubts_of(std::vector<NodeLoad>{{"a", 0.1, 2}, {"b", 22.31, 2}}).front(),
            "uncertain: b had a load of 22.3 on 2 cores; measure again when it is idle (espalier "
            "discover --fresh)");
  const auto both = doubts_of(std::vector<NodeLoad>{{"a", 3, 2}, {"b", 8, 4}, {"c", 0, 4}});
  ASSERT_EQ(both.size(), 1u);
  EXPECT_NE(both.front().find("b had a load of 8.0 on 4 cores, and 2 of 3 nodes"),
            std::string::npos)
      << both.front();
}

}  // namespace
}  // namespace espalier::discover
