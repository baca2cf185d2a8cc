#include "league/agreement.hpp"

#include <gtest/gtest.h>

#include "support/for_all_seeds.hpp"

namespace espalier::league {
namespace {

using schedule::Operation;

PlanForecast forecast(std::uint64_t bytes, double expected, double simulated) {
  return {{"m", "block", Operation::Broadcast, bytes}, "plan", expected, expected, simulated};
}
double predicted(const PlanForecast& f) { return f.predicted_us; }

TEST(RankCorrelation, IsOneInOrderAndMinusOneBackwards) {
  const std::vector<double> up{1, 5, 7, 100};
  const std::vector<double> down{9, 8, 2, 1};
  EXPECT_DOUBLE_EQ(rank_correlation(up, up), 1);
  EXPECT_DOUBLE_EQ(rank_correlation(up, down), -1);
  EXPECT_DOUBLE_EQ(rank_correlation(std::vector<double>{3, 3}, std::vector<double>{4, 4}), 1);
}

/// Without ties it is 1 - 6 sum d^2 / (n (n^2 - 1)).
TEST(RankCorrelationProperty, IsTheSumOfSquaresOfDifferencesWithoutTies) {
  for_all_seeds(200, [](Random& random) {
    const std::uint64_t n = 2 + random.below(8);
    std::vector<double> order;
    for (std::uint64_t i = 0; i < n; ++i) order.push_back(static_cast<double>(i));
    std::vector<double> other = order;
    for (std::uint64_t i = n; i > 1; --i) std::swap(other[i - 1], other[random.below(i)]);
    double squares = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      squares += (order[i] - other[i]) * (order[i] - other[i]);
    }
    const auto count = static_cast<double>(n);
    EXPECT_NEAR(rank_correlation(order, other), 1 - 6 * squares / (count * (count * count - 1)),
                1e-12);
  });
}

TEST(AgreementOf, LooksAtEachEventByItself) {
  const std::vector<PlanForecast> forecasts{forecast(8, 1, 2),    forecast(8, 2, 4),
                                            forecast(8, 3, 6),    forecast(64, 10, 30),
                                            forecast(64, 20, 20), forecast(64, 30, 10)};
  const ForecastAgreement found = agreement_of(forecasts, predicted);
  EXPECT_EQ(found.events, 2U);
  EXPECT_EQ(found.plans, 6U);
  EXPECT_DOUBLE_EQ(found.correlation, 0);  // 1 and -1
  EXPECT_EQ(found.near, 1U);
  EXPECT_DOUBLE_EQ(found.median_error, 0.5);  // of 0, 0.5, 0.5, 0.5, 0.67, 2
}

TEST(AgreementOf, NothingIsNothing) { EXPECT_EQ(agreement_of({}, predicted).events, 0U); }

}  // namespace
}  // namespace espalier::league
