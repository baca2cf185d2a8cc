#include "tree/exact/list_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "support/broadcast_oracles.hpp"
#include "support/for_all_seeds.hpp"

namespace espalier::tree::exact {
namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

/// The weakest worth there is: any send in time serves one. Leaves the search to its own rules.
Potential counting(const Instance& instance, Ticks longest) {
  Worth worth;
  while ((longest >> worth.shift) >= 256) ++worth.shift;
  worth.of_cell.assign(static_cast<std::size_t>(longest >> worth.shift) + 1, kWorthOfOne);
  return Potential(instance, worth);
}

/// Close together, so that who goes first is a matter of little, or far apart.
std::vector<Time> costs_for_rules(Random& rng, Rank count) {
  const std::int64_t spread = rng.chance(50) ? 60 : 400;
  std::vector<Time> costs(count);
  for (Time& cost : costs) cost = Time{rng.between(40, 40 + spread)};
  return costs;
}

struct Problem {
  std::vector<Time> costs;
  Instance instance;
  Ticks optimum;
};

Problem random_problem(Random& rng, Rank count) {
  std::vector<Time> costs = costs_for_rules(rng, count);
  const Participants who = everybody(count, 0);
  const Time optimum = least_last_arrival(costs, who);
  std::sort(costs.begin() + 1, costs.end());
  // A deadline nobody needs, so that no class is merged away.
  const Instance instance = instance_of(costs[0], std::span(costs).subspan(1), Time{100'000});
  return {costs, instance, optimum.picoseconds / instance.tick.picoseconds};
}

TEST(ListSearchProperty, FindsAScheduleByTheOptimumAndNoneBefore) {
  for_all_seeds(1500, [](Random& rng) {
    const Problem p = random_problem(rng, static_cast<Rank>(rng.between(2, 8)));
    const Potential potential = counting(p.instance, p.optimum);
    SearchBudget budget(kNoLimit);
    const SearchResult at_optimum = list_search(p.instance, potential, p.optimum, budget);
    ASSERT_EQ(at_optimum.answer, SearchAnswer::Found);
    ASSERT_EQ(at_optimum.finish, p.optimum);
    ASSERT_EQ(list_search(p.instance, potential, p.optimum - 1, budget).answer, SearchAnswer::None);
  });
}

TEST(ListSearchProperty, DoesSoForTenRanksToo) {
  for_all_seeds(40, [](Random& rng) {
    const Problem p = random_problem(rng, 10);
    const Potential potential = counting(p.instance, p.optimum);
    SearchBudget budget(kNoLimit);
    ASSERT_EQ(list_search(p.instance, potential, p.optimum, budget).answer, SearchAnswer::Found);
    ASSERT_EQ(list_search(p.instance, potential, p.optimum - 1, budget).answer, SearchAnswer::None);
  });
}

TEST(ListSearchProperty, BeamSearchFindsNothingBeforeTheOptimum) {
  for_all_seeds(500, [](Random& rng) {
    const Problem p = random_problem(rng, static_cast<Rank>(rng.between(2, 7)));
    const Potential potential = counting(p.instance, 2 * p.optimum);
    SearchBudget budget(kNoLimit);
    const Ticks deadline = p.optimum + rng.between(0, p.optimum);
    const SearchResult decision = beam_search(p.instance, potential, deadline, 8, budget);
    ASSERT_NE(decision.answer, SearchAnswer::None);
    if (decision.answer == SearchAnswer::Found) {
      ASSERT_GE(decision.finish, p.optimum);
      ASSERT_LE(decision.finish, deadline);
    }
    ASSERT_EQ(beam_search(p.instance, potential, p.optimum - 1, 8, budget).answer,
              SearchAnswer::Stopped);
  });
}

TEST(ListSearch, StopsWhenTheBudgetIsSpent) {
  Random rng(3);
  const Problem p = random_problem(rng, 10);
  SearchBudget budget(5);
  const Potential potential = counting(p.instance, p.optimum);
  EXPECT_EQ(list_search(p.instance, potential, p.optimum - 1, budget).answer,
            SearchAnswer::Stopped);
  EXPECT_EQ(budget.left(), 0u);
}

}  // namespace
}  // namespace espalier::tree::exact
