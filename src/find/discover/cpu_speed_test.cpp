#include "discover/cpu_speed.hpp"

#include <gtest/gtest.h>

#include "base/contract.hpp"
#include "support/for_all_seeds.hpp"

namespace espalier::discover {
namespace {

using Speeds = std::vector<std::uint64_t>;

TEST(CpuSpeed, EqualProcessesStayEqualThoughTheyWereMeasuredApart) {
  const std::vector<double> rates{1000, 1040, 980, 2010, 1995, 2100};
  const Speeds speeds = speed_classes(rates);
  EXPECT_EQ(speeds[0], speeds[1]);
  EXPECT_EQ(speeds[0], speeds[2]);
  EXPECT_EQ(speeds[3], speeds[4]);
  EXPECT_EQ(speeds[3], speeds[5]);
  EXPECT_EQ(speeds[0], 1'000'000U);
  EXPECT_NEAR(static_cast<double>(speeds[3]), 2.01e6, 1e4);
}

TEST(CpuSpeed, OneProcessIsTheMiddle) {
  EXPECT_EQ(speed_classes(std::vector{7.5}), Speeds{1'000'000});
}

TEST(CpuSpeed, RefusesWhatIsNoRate) {
  EXPECT_THROW((void)speed_classes(std::vector<double>{}), ContractViolation);
  EXPECT_THROW((void)speed_classes(std::vector{1.0, 0.0}), ContractViolation);
}

TEST(CpuSpeedProperty, NobodyIsFartherFromItsMeasuredRateThanTheTolerance) {
  for_all_seeds(200, [](Random& rng) {
    std::vector<double> rates;
    for (std::uint64_t i = 1 + rng.below(20); i > 0; --i) {
      rates.push_back(static_cast<double>(100 + rng.below(1000)));
    }
    const Speeds speeds = speed_classes(rates);
    for (std::size_t a = 0; a < rates.size(); ++a) {
      for (std::size_t b = 0; b < rates.size(); ++b) {
        const double seen = rates[a] / rates[b];
        const double kept = static_cast<double>(speeds[a]) / static_cast<double>(speeds[b]);
        ASSERT_NEAR(kept / seen, 1, 0.22);
        if (rates[a] > rates[b]) {
          ASSERT_GE(speeds[a], speeds[b]);
        }
      }
    }
  });
}

TEST(CpuSpeed, ComputesSomething) { EXPECT_GT(rounds_a_second(milliseconds(1)), 0); }

TEST(CpuSpeed, IsToldByClass) {
  const std::vector<std::string> nodes{"a", "a", "b"};
  EXPECT_EQ(speeds_in_words(Speeds{1'000'000, 1'000'000, 2'000'000}, nodes),
            (std::vector<std::string>{"b (1 process): 2.00 times the usual speed",
                                      "a (2 processes): 1.00 times the usual speed"}));
  EXPECT_EQ(speeds_in_words(Speeds{5, 5, 5}, nodes),
            std::vector<std::string>{"all processes compute equally fast"});
}

}  // namespace
}  // namespace espalier::discover
