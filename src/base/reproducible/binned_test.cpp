#include "reproducible/binned.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/contract.hpp"
#include "support/exact_reference.hpp"
#include "support/for_all_seeds.hpp"
#include "support/random_terms.hpp"

namespace espalier::reproducible {
namespace {

template <typename Real>
class BinnedOf : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(BinnedOf, Reals);

/// What is left of the terms if all are cut at the last place that is kept, towards zero.
template <typename Real>
std::vector<Real> cut(std::vector<Real> terms) {
  using Limits = std::numeric_limits<Real>;
  constexpr int kLeast = Limits::min_exponent - Limits::digits;
  Real greatest = 0;
  for (const Real term : terms) greatest = std::max(greatest, std::fabs(term));
  if (greatest == 0) return terms;
  const int place = (std::ilogb(greatest) - kLeast) / 32;
  const int last = kLeast + 32 * (place - static_cast<int>(Binned<Real>::kBins) + 1);
  if (last <= kLeast) return terms;
  for (Real& term : terms) term = std::ldexp(std::trunc(std::ldexp(term, -last)), last);
  return terms;
}

template <typename Real>
Binned<Real> binned_anyhow(Random& rng, std::vector<Real> terms) {
  rng.shuffle(std::span(terms));
  std::vector<Binned<Real>> parts(1 + rng.below(5));
  for (const Real term : terms) parts[rng.below(parts.size())].add(term);
  while (parts.size() > 1) {
    rng.shuffle(std::span(parts));
    parts[0].merge(parts.back());
    parts.pop_back();
  }
  return parts[0];
}

TYPED_TEST(BinnedOf, RoundsTheSumOfWhatIsKeptInWhateverOrder) {
  for_all_seeds(100'000, [](Random& rng) {
    const auto terms = testing_support::random_terms<TypeParam>(rng, rng.chance(5) ? 200 : 12);
    Binned<TypeParam> sum;
    accumulate<TypeParam>(terms, sum);
    const auto kept = cut(terms);
    const TypeParam expected = testing_support::exact_reference<TypeParam>(kept);
    ASSERT_EQ(sum.round(), expected);
    const Binned<TypeParam> other = binned_anyhow(rng, terms);
    ASSERT_EQ(std::memcmp(&sum, &other, sizeof sum), 0);
  });
}

TYPED_TEST(BinnedOf, KnowsSpecialValues) {
  using Limits = std::numeric_limits<TypeParam>;
  const TypeParam inf = Limits::infinity();
  const auto sum_of = [](const std::vector<TypeParam>& terms) {
    Binned<TypeParam> sum;
    accumulate<TypeParam>(terms, sum);
    return sum.round();
  };
  EXPECT_EQ(sum_of({1, inf}), inf);
  EXPECT_EQ(sum_of({-inf, 1}), -inf);
  EXPECT_TRUE(std::isnan(sum_of({inf, -inf})));
  EXPECT_TRUE(std::isnan(sum_of({Limits::quiet_NaN(), inf})));
  EXPECT_TRUE(std::signbit(sum_of({-TypeParam{0}, -TypeParam{0}})));
  EXPECT_FALSE(std::signbit(sum_of({-TypeParam{0}, TypeParam{0}})));
  EXPECT_FALSE(std::signbit(sum_of({})));
  EXPECT_EQ(sum_of({Limits::max(), Limits::max(), -Limits::max()}), Limits::max());
  EXPECT_EQ(sum_of({Limits::max(), Limits::max()}), inf);
}

TYPED_TEST(BinnedOf, RefusesMoreTermsThanItsBinsHold) {
  Binned<TypeParam> sum;
  sum.add(1);
  for (int doubling = 0; doubling < 30; ++doubling) {
    const Binned<TypeParam> same = sum;
    sum.merge(same);
  }
  EXPECT_EQ(sum.round(), std::ldexp(TypeParam{1}, 30));
  EXPECT_THROW(sum.add(1), ContractViolation);
}

}  // namespace
}  // namespace espalier::reproducible
