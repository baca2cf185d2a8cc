#include "measure/summary.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/contract.hpp"
#include "support/for_all_seeds.hpp"

namespace espalier::measure {
namespace {

TEST(Summary, IsTheMedianAndItsNeighbours) {
  const Summary odd = summarize({9, 1, 5});
  EXPECT_EQ(odd.median, 5);
  EXPECT_EQ(odd.low, 1);
  EXPECT_EQ(odd.high, 9);
  EXPECT_DOUBLE_EQ(odd.confidence, 0.75);  // 1 - 2 / 2^3
  EXPECT_EQ(summarize({4, 2}).median, 3);
  EXPECT_DOUBLE_EQ(summarize({1, 2, 3, 4, 5, 6}).confidence, 1 - 2.0 / 64);
}

TEST(Summary, RefusesNothing) { EXPECT_THROW((void)summarize({}), ContractViolation); }

/// The median of the uniform distribution is 1/2: how often the interval holds it is counted.
TEST(SummaryProperty, HoldsTheTrueMedianAsOftenAsItSays) {
  for (const std::size_t n : {5UL, 7UL, 11UL, 24UL}) {
    int held = 0;
    double promised = 0;
    constexpr int kCases = 4000;
    Random rng(n);
    for (int c = 0; c < kCases; ++c) {
      std::vector<double> values(n);
      for (double& v : values) v = static_cast<double>(rng.below(1'000'001));
      const Summary s = summarize(values);
      held += s.low <= 500'000 && s.high >= 500'000 ? 1 : 0;
      promised = s.confidence;
      ASSERT_TRUE(s.low <= s.median && s.median <= s.high);
    }
    EXPECT_NEAR(static_cast<double>(held) / kCases, promised, 0.02) << n << " values";
    EXPECT_GE(promised, n > 5 ? 0.95 : 0.9);
  }
}

}  // namespace
}  // namespace espalier::measure
