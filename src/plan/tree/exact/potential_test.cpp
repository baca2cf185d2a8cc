#include "tree/exact/potential.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/broadcast_oracles.hpp"
#include "support/for_all_seeds.hpp"
#include "tree/exact/price_search.hpp"

namespace espalier::tree::exact {
namespace {

/// Any steps upwards will do.
Worth random_worth(Random& rng, Ticks longest) {
  Worth worth;
  worth.shift = static_cast<int>(rng.between(0, 6));
  std::int64_t w = kWorthOfOne;
  for (Ticks cell = 0; cell <= longest >> worth.shift; ++cell) {
    worth.of_cell.push_back(w);
    if (rng.chance(20)) w += rng.between(0, 2 * kWorthOfOne);
  }
  return worth;
}

struct PotentialProblem {
  Instance instance;
  Ticks optimum;
};

PotentialProblem random_potential_problem(Random& rng) {
  const auto count = static_cast<Rank>(rng.between(2, 7));
  std::vector<Time> costs(count);
  for (Time& cost : costs) cost = Time{rng.between(1, rng.chance(50) ? 9 : 300)};
  const Time optimum = least_last_arrival(costs, everybody(count, 0));
  std::sort(costs.begin() + 1, costs.end());
  const Instance instance = instance_of(costs[0], std::span(costs).subspan(1), Time{100'000});
  return {instance, optimum.picoseconds / instance.tick.picoseconds};
}

TEST(PotentialProperty, NeverCallsTheOptimumTooEarlyWhateverTheWorth) {
  for_all_seeds(3000, [](Random& rng) {
    const PotentialProblem p = random_potential_problem(rng);
    const Potential potential(p.instance, random_worth(rng, p.optimum));
    ASSERT_LT(potential.too_early(p.instance, p.optimum), p.optimum);
  });
}

TEST(PotentialProperty, NeverCallsTheOptimumTooEarlyUnderSearchedPrices) {
  for_all_seeds(1000, [](Random& rng) {
    const PotentialProblem p = random_potential_problem(rng);
    PriceSearch prices(p.instance, p.optimum);
    prices.improve(p.optimum - 1, 50);
    const Potential potential(p.instance, prices.worth());
    ASSERT_LT(potential.too_early(p.instance, p.optimum), p.optimum);
    ASSERT_TRUE(std::is_sorted(potential.worth().of_cell.begin(), potential.worth().of_cell.end()));
  });
}

// Root 1, two others 1: the second can not be served before 2. 2^t - 1 others need t rounds.
TEST(Potential, ProvesTheDoublingBoundOfEqualRanks) {
  for (Rank rounds = 1; rounds <= 6; ++rounds) {
    const std::vector<Time> others((1u << rounds) - 1, Time{1});
    const Instance instance = instance_of(Time{1}, others, Time{100});
    PriceSearch prices(instance, rounds);
    prices.improve(rounds - 1, 50);
    EXPECT_EQ(Potential(instance, prices.worth()).too_early(instance, rounds), rounds - 1);
  }
}

TEST(Coarsened, KeepsEverybodyAndSlowsNobody) {
  const std::vector<Time> others{{2}, {3}, {3}, {5}, {7}, {11}};
  const Instance fine = instance_of(Time{1}, others, Time{100});
  const Instance rough = coarsened(fine, 2);
  ASSERT_EQ(rough.classes.size(), 2u);
  EXPECT_EQ(rough.classes[0].cost, 2);
  EXPECT_EQ(rough.classes[0].count, 4u);
  EXPECT_EQ(rough.classes[1].cost, 7);
  EXPECT_EQ(rough.classes[1].count, 2u);
  EXPECT_EQ(coarsened(fine, 5).classes.size(), 5u);
}

}  // namespace
}  // namespace espalier::tree::exact
