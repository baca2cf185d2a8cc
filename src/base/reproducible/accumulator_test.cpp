#include "reproducible/accumulator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "support/exact_reference.hpp"
#include "support/for_all_seeds.hpp"
#include "support/random_terms.hpp"

namespace espalier::reproducible {
namespace {

template <typename Real>
typename Format<Real>::Bits bits_of(Real value) {
  return std::bit_cast<typename Format<Real>::Bits>(value);
}

template <typename Real>
class AccumulatorOf : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(AccumulatorOf, Reals);

template <typename Real>
Accumulator<Real> added_one_by_one(std::span<const Real> terms) {
  Accumulator<Real> sum;
  for (const Real term : terms) sum.add(term);
  return sum;
}

/// Split at random, each part in its own way, merged in random order.
template <typename Real>
Accumulator<Real> added_anyhow(Random& rng, std::vector<Real> terms) {
  rng.shuffle(std::span(terms));
  std::vector<Accumulator<Real>> parts(1 + rng.below(5));
  std::span<const Real> left = terms;
  for (auto& part : parts) {
    const std::size_t take = &part == &parts.back() ? left.size() : rng.below(left.size() + 1);
    if (rng.chance(50)) {
      accumulate(left.first(take), part);
    } else {
      part = added_one_by_one(left.first(take));
    }
    left = left.subspan(take);
  }
  while (parts.size() > 1) {
    rng.shuffle(std::span(parts));
    parts[0].merge(parts.back());
    parts.pop_back();
  }
  return parts[0];
}

TYPED_TEST(AccumulatorOf, RoundsTheExactSumOnceInWhateverOrder) {
  for_all_seeds(100'000, [](Random& rng) {
    const auto terms = testing_support::random_terms<TypeParam>(rng, rng.chance(5) ? 200 : 12);
    const Accumulator<TypeParam> sum = added_one_by_one<TypeParam>(terms);
    const TypeParam expected = testing_support::exact_reference<TypeParam>(terms);
    ASSERT_EQ(bits_of(sum.round()), bits_of(expected)) << sum.round() << " for " << expected;
    const Accumulator<TypeParam> other = added_anyhow(rng, terms);
    ASSERT_EQ(std::memcmp(&sum, &other, sizeof sum), 0);
  });
}

TYPED_TEST(AccumulatorOf, IsTheSameForEveryOrderAndGroupingOfFiveTerms) {
  for_all_seeds(200, [](Random& rng) {
    auto terms = testing_support::random_terms<TypeParam>(rng, 2);
    terms.resize(5, testing_support::random_real<TypeParam>(rng, 3));
    std::vector<std::size_t> order{0, 1, 2, 3, 4};
    const Accumulator<TypeParam> expected = added_one_by_one<TypeParam>(terms);
    do {
      for (std::size_t cut = 0; cut <= order.size(); ++cut) {
        Accumulator<TypeParam> left, right;
        for (std::size_t i = 0; i < order.size(); ++i)
          (i < cut ? left : right).add(terms[order[i]]);
        left.merge(right);
        ASSERT_EQ(left, expected);
      }
    } while (std::next_permutation(order.begin(), order.end()));
  });
}

TYPED_TEST(AccumulatorOf, KnowsInfinitiesAndNan) {
  using Limits = std::numeric_limits<TypeParam>;
  const TypeParam inf = Limits::infinity();
  const auto sum_of = [](std::vector<TypeParam> terms) {
    const TypeParam few = exact_sum<TypeParam>(terms);
    terms.resize(100, TypeParam{0});  // the way for many
    const TypeParam many = exact_sum<TypeParam>(terms);
    EXPECT_TRUE(bits_of(few) == bits_of(many) || (few == 0 && many == 0));
    return few;
  };
  EXPECT_EQ(sum_of({1, inf, 2}), inf);
  EXPECT_EQ(sum_of({1, -inf, 2, -inf}), -inf);
  EXPECT_TRUE(std::isnan(sum_of({inf, 1, -inf})));
  EXPECT_TRUE(std::isnan(sum_of({1, Limits::quiet_NaN()})));
  EXPECT_TRUE(std::isnan(sum_of({inf, -Limits::quiet_NaN()})));
  EXPECT_FALSE(std::signbit(sum_of({-Limits::quiet_NaN()})));
}

TYPED_TEST(AccumulatorOf, OverflowsOnlyAtTheEnd) {
  using Limits = std::numeric_limits<TypeParam>;
  const TypeParam max = Limits::max();
  EXPECT_EQ(exact_sum<TypeParam>(std::vector<TypeParam>{max, max, -max}), max);
  EXPECT_EQ(exact_sum<TypeParam>(std::vector<TypeParam>{max, max}), Limits::infinity());
  EXPECT_EQ(exact_sum<TypeParam>(std::vector<TypeParam>{-max, -max}), -Limits::infinity());
  // Half a last place beyond the greatest number is the first that rounds to infinity.
  const TypeParam half = std::ldexp(TypeParam{1}, Limits::max_exponent - Limits::digits - 1);
  EXPECT_EQ(exact_sum<TypeParam>(std::vector<TypeParam>{max, half}), Limits::infinity());
  EXPECT_EQ(exact_sum<TypeParam>(std::vector<TypeParam>{max, half, -Limits::denorm_min()}), max);
}

TYPED_TEST(AccumulatorOf, HasMinusZeroOnlyOfMinusZeros) {
  const TypeParam minus = -TypeParam{0};
  using Terms = std::vector<TypeParam>;
  EXPECT_TRUE(std::signbit(exact_sum<TypeParam>(Terms{minus})));
  EXPECT_TRUE(std::signbit(exact_sum<TypeParam>(Terms(50, minus))));
  EXPECT_FALSE(std::signbit(exact_sum<TypeParam>(Terms{minus, TypeParam{0}})));
  EXPECT_FALSE(std::signbit(exact_sum<TypeParam>(Terms{1, -1})));
  EXPECT_FALSE(std::signbit(exact_sum<TypeParam>(Terms{})));
  Accumulator<TypeParam> sum, none;
  sum.add(minus);
  sum.merge(none);
  EXPECT_TRUE(std::signbit(sum.round()));
}

TYPED_TEST(AccumulatorOf, HoldsManyOfTheGreatest) {
  const std::vector<TypeParam> terms(1'000'001, std::numeric_limits<TypeParam>::max());
  const std::vector<TypeParam> minus(1'000'000, -std::numeric_limits<TypeParam>::max());
  Accumulator<TypeParam> sum;
  accumulate<TypeParam>(terms, sum);
  EXPECT_EQ(sum.round(), std::numeric_limits<TypeParam>::infinity());
  accumulate<TypeParam>(minus, sum);
  EXPECT_EQ(sum.round(), std::numeric_limits<TypeParam>::max());
}

}  // namespace
}  // namespace espalier::reproducible
