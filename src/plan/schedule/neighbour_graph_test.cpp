#include "schedule/neighbour_graph.hpp"

#include <gtest/gtest.h>

namespace espalier::schedule {
namespace {

NeighbourLists lists(const std::vector<std::vector<Rank>>& of) {
  NeighbourLists made;
  for (const std::vector<Rank>& list : of) made.add(list);
  return made;
}

TEST(NeighbourGraph, IsConsistentIfBothEndsKnowOfEachBlock) {
  EXPECT_TRUE(is_consistent({lists({{1, kNoRank}, {0}}), lists({{1}, {kNoRank, 0}})}));
  EXPECT_TRUE(is_consistent({lists({{}, {0, 0}}), lists({{1, 1}, {}})}));
  EXPECT_FALSE(is_consistent({lists({{}, {0}}), lists({{1, 1}, {}})}));
  EXPECT_FALSE(is_consistent({lists({{1}, {}}), lists({{1}, {}})}));
  EXPECT_FALSE(is_consistent({lists({{2}, {}}), lists({{}, {}})}));
  EXPECT_FALSE(is_consistent({lists({{}}), lists({{}, {}})}));
}

TEST(NeighbourGraph, KnowsRepeatedPairs) {
  EXPECT_FALSE(has_repeated_pairs({lists({{0, 1}, {0}}), lists({{1, 0}, {0}})}));
  EXPECT_TRUE(has_repeated_pairs({lists({{1, 1}, {}}), lists({{}, {0, 0}})}));
}

TEST(NeighbourGraph, MatchesTheKthBlockWithTheKthPlace) {
  const NeighbourGraph graph{lists({{}, {0, kNoRank, 1, 0}}), lists({{1, kNoRank, 1}, {1}})};
  ASSERT_TRUE(is_consistent(graph));
  EXPECT_EQ(blocks_sent_to(graph, 1), (std::vector<std::uint32_t>{0, kNoRank, 0, 2}));
}

}  // namespace
}  // namespace espalier::schedule
