#include "verify/expressions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/contract.hpp"
#include "support/for_all_seeds.hpp"

namespace espalier::verify {
namespace {

TEST(Expressions, AreEqualOnlyWithTheSameOrderAndParentheses) {
  Expressions e(3);
  const ExprId a = e.input(0), b = e.input(1), c = e.input(2);
  const ExprId left = e.combine(e.combine(a, b), c);
  EXPECT_EQ(left, e.combine(e.combine(a, b), c));
  EXPECT_NE(left, e.combine(a, e.combine(b, c)));
  EXPECT_NE(e.combine(a, b), e.combine(b, a));
  EXPECT_EQ(e.to_text(left), "((0.1).2)");
}

TEST(Expressions, HashAlikeInDifferentStores) {
  Expressions one(3), other(3);
  (void)other.combine(other.input(2), other.input(0));
  EXPECT_EQ(one.hash(one.combine(one.input(0), one.input(1))),
            other.hash(other.combine(other.input(0), other.input(1))));
  EXPECT_NE(one.hash(one.combine(one.input(0), one.input(1))),
            one.hash(one.combine(one.input(1), one.input(0))));
}

TEST(Expressions, RefuseToCombineNothing) {
  Expressions e(2);
  EXPECT_THROW((void)e.combine(kUndefined, e.input(0)), ContractViolation);
}

TEST(RankSets, KeepRunsWithoutMemoryOfTheirOwn) {
  RankSets sets;
  RankSet run = RankSets::single(100);
  for (Rank r = 101; r < 300; ++r) run = sets.join(run, RankSets::single(r));
  EXPECT_TRUE(run.is_run());
  EXPECT_EQ(sets.to_text(run), "100-299");
}

TEST(RankSetsProperty, BehaveLikeSets) {
  for_all_seeds(500, [](Random& rng) {
    const auto size = static_cast<Rank>(1 + rng.below(200));
    RankSets sets;
    struct Pair {
      RankSet ours;
      std::set<Rank> plain;
    };
    std::vector<Pair> all;
    for (Rank r = 0; r < size; ++r) all.push_back({RankSets::single(r), {r}});
    for (int step = 0; step < 60; ++step) {
      const Pair a = all[static_cast<std::size_t>(rng.below(all.size()))];
      const Pair b = all[static_cast<std::size_t>(rng.below(all.size()))];
      const bool disjoint = std::none_of(a.plain.begin(), a.plain.end(),
                                         [&](Rank r) { return b.plain.count(r) != 0; });
      ASSERT_EQ(sets.disjoint(a.ours, b.ours), disjoint);
      if (!disjoint) continue;
      Pair joined{sets.join(a.ours, b.ours), a.plain};
      joined.plain.insert(b.plain.begin(), b.plain.end());
      for (Rank r = 0; r < size; ++r) {
        ASSERT_EQ(sets.contains(joined.ours, r), joined.plain.count(r) != 0);
      }
      ASSERT_EQ(joined.ours.count, joined.plain.size());
      ASSERT_EQ(joined.ours.is_run(),
                *joined.plain.rbegin() - *joined.plain.begin() + 1 == joined.plain.size());
      all.push_back(joined);
    }
  });
}

}  // namespace
}  // namespace espalier::verify
