#include "runtime/kept_ranks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "support/for_all_seeds.hpp"

namespace espalier::runtime {
namespace {

/// Every `step`-th rank from `first` on, so many of them.
std::vector<Rank> ranks_of(Rank first, Rank count, Rank step) {
  std::vector<Rank> ranks;
  for (Rank i = 0; i < count; ++i) ranks.push_back(first + i * step);
  return ranks;
}

TEST(KeptRanks, MembersOfOneRunTakeTheSameFewBytesHoweverManyThereAre) {
  for (const Rank count : {8U, 100'000U}) {
    EXPECT_EQ(KeptRanks(ranks_of(0, count, 1)).bytes(), sizeof(schedule::IndexRun));    // all
    EXPECT_EQ(KeptRanks(ranks_of(32, count, 1)).bytes(), sizeof(schedule::IndexRun));   // a row
    EXPECT_EQ(KeptRanks(ranks_of(3, count, 512)).bytes(), sizeof(schedule::IndexRun));  // a column
  }
  EXPECT_EQ(KeptRanks().bytes(), 0U);
  EXPECT_TRUE(KeptRanks().spelled_out().empty());
}

TEST(KeptRanksProperty, ComeBackInTheirOrderAndTakeNoMoreThanAList) {
  for_all_seeds(300, [](Random& rng) {
    std::vector<Rank> ranks;
    for (std::uint64_t part = rng.below(6); part > 0; --part) {
      const auto more =
          ranks_of(static_cast<Rank>(rng.below(1000)), static_cast<Rank>(rng.below(40)),
                   static_cast<Rank>(1 + rng.below(5)));
      ranks.insert(ranks.end(), more.begin(), more.end());
    }
    if (rng.chance(30)) std::reverse(ranks.begin(), ranks.end());
    for (std::size_t at = rng.chance(30) ? ranks.size() : 0; at > 1; --at) {
      std::swap(ranks[at - 1], ranks[rng.below(at)]);
    }
    const KeptRanks kept(ranks);
    ASSERT_EQ(kept.spelled_out(), ranks);
    ASSERT_LE(kept.bytes(), ranks.size() * sizeof(Rank));
  });
}

}  // namespace
}  // namespace espalier::runtime
