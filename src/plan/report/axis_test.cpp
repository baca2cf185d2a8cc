#include "report/axis.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/contract.hpp"
#include "support/for_all_seeds.hpp"

namespace espalier::report {
namespace {

std::vector<std::string> labels(const FittedAxis& axis) {
  std::vector<std::string> found;
  for (const Tick& tick : axis.ticks) found.push_back(tick.label);
  return found;
}
using Labels = std::vector<std::string>;

TEST(FitAxis, EndsOnRoundNumbers) {
  const FittedAxis axis = fit_axis({"", Scale::Linear, Unit::Seconds}, {0.012, 0.0605});
  EXPECT_EQ(labels(axis), (Labels{"0", "20 ms", "40 ms", "60 ms", "80 ms"}));
}

TEST(FitAxis, NeedNotStartAtZero) {
  const FittedAxis axis = fit_axis({"", Scale::Linear, Unit::Number, false}, {102, 108});
  EXPECT_EQ(labels(axis), (Labels{"102", "104", "106", "108"}));
}

TEST(FitAxis, CountsBytesInPowersOfTwo) {
  const FittedAxis axis = fit_axis({"", Scale::Log, Unit::Bytes}, {64, 4096});
  EXPECT_EQ(labels(axis), (Labels{"64 B", "128 B", "256 B", "512 B", "1 KiB", "2 KiB", "4 KiB"}));
}

TEST(FitAxis, CountsDecadesOnALongLogarithmicAxis) {
  const FittedAxis axis = fit_axis({"", Scale::Log, Unit::Seconds}, {3e-5, 0.09});
  EXPECT_EQ(labels(axis), (Labels{"100 us", "1 ms", "10 ms", "100 ms"}));
  EXPECT_DOUBLE_EQ(axis.low, 2e-5);
}

TEST(FitAxis, MarksTwoAndFiveOnAShortLogarithmicAxis) {
  EXPECT_EQ(labels(fit_axis({"", Scale::Log, Unit::Number}, {1.5, 40})),
            (Labels{"1", "2", "5", "10", "20", "50"}));
}

TEST(FitAxis, RefusesZeroOnALogarithmicAxis) {
  EXPECT_THROW((void)fit_axis({"", Scale::Log, Unit::Number}, {0, 1}), ContractViolation);
}

TEST(FitAxis, CopesWithNothingAndWithOneValue) {
  EXPECT_GE(fit_axis({}, {}).ticks.size(), 2u);
  EXPECT_GE(fit_axis({}, {0}).ticks.size(), 2u);
  EXPECT_GE(fit_axis({"", Scale::Log, Unit::Number}, {7}).ticks.size(), 2u);
  EXPECT_GE(fit_axis({}, {std::nan("")}).ticks.size(), 2u);
}

TEST(TickLabel, PicksTheUnit) {
  EXPECT_EQ(tick_label(0.0012, Unit::Seconds), "1.2 ms");
  EXPECT_EQ(tick_label(2e-9, Unit::Seconds), "2 ns");
  EXPECT_EQ(tick_label(1 << 20, Unit::Bytes), "1 MiB");
  EXPECT_EQ(tick_label(12.5, Unit::Percent), "12.5 %");
  EXPECT_EQ(tick_label(0, Unit::Seconds), "0");
}

TEST(FitAxisProperty, HoldsAllValuesWithAHandfulOfTicks) {
  for_all_seeds(2000, [](Random& rng) {
    std::vector<double> values;
    for (std::uint64_t n = 1 + rng.below(5); values.size() < n;) {
      values.push_back(std::pow(10, static_cast<double>(rng.between(-120, 60)) / 10));
    }
    for (const Scale scale : {Scale::Linear, Scale::Log}) {
      for (const Unit unit : {Unit::Number, Unit::Bytes}) {
        const FittedAxis axis = fit_axis({"", scale, unit, rng.chance(50)}, values);
        ASSERT_GE(axis.ticks.size(), 2u);
        ASSERT_LE(axis.ticks.size(), 12u);
        for (const double v : values) {
          ASSERT_GE(axis.place(v), -1e-6);
          ASSERT_LE(axis.place(v), 1 + 1e-6);
        }
        for (std::size_t i = 0; i < axis.ticks.size(); ++i) {
          ASSERT_GE(axis.place(axis.ticks[i].value), -1e-6);
          ASSERT_LE(axis.place(axis.ticks[i].value), 1 + 1e-6);
          if (i > 0) {
            ASSERT_LT(axis.ticks[i - 1].value, axis.ticks[i].value);
          }
        }
      }
    }
  });
}

}  // namespace
}  // namespace espalier::report
