#include "collective/partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/for_all_seeds.hpp"
#include "topology/random_machine.hpp"
#include "topology/readers.hpp"

namespace espalier::collective {
namespace {

using Parts = std::vector<std::vector<Rank>>;

TEST(Partition, KnowsTheOutermostClustersWhateverThePlacement) {
  const topology::Machine block = *topology::parse_synthetic("site:2(1ms) node:2(1us) proc:2");
  const topology::Machine cyclic = with_placement(block, cyclic_placement(block));
  EXPECT_EQ(outermost_clusters(block).parts, (Parts{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_TRUE(outermost_clusters(block).in_runs());
  // Ranks are dealt out to the four nodes in turn: those of site 0 are 0 4 and 1 5.
  EXPECT_EQ(outermost_clusters(cyclic).parts, (Parts{{0, 1, 4, 5}, {2, 3, 6, 7}}));
  EXPECT_EQ(outermost_clusters(cyclic, RankOrder::AlongTree).parts,
            (Parts{{0, 4, 1, 5}, {2, 6, 3, 7}}));
  EXPECT_FALSE(outermost_clusters(cyclic).in_runs());
}

TEST(PartitionProperty, JoinsTheRanksThatDoNotMeetAtTheOutermostLevel) {
  for_all_seeds(200, [](Random& rng) {
    const topology::Machine machine = topology::random_machine(rng.next());
    const auto order = rng.chance(50) ? RankOrder::Rising : RankOrder::AlongTree;
    const Partition found = outermost_clusters(machine, order);
    ASSERT_EQ(found.count(), machine.clusters().front().member_count);
    ASSERT_LE(found.smallest(), found.largest());
    for (Rank a = 0; a < machine.size(); ++a) {
      const Participants participants = found.participants_of(a);
      ASSERT_EQ(participants.ranks[participants.me], a);
      for (Rank b = 0; b < a; ++b) {
        ASSERT_EQ(found.part_of[a] == found.part_of[b], machine.path(a, b).level > 0);
      }
    }
    Rank lowest = 0;
    for (const auto& ranks : found.parts) {
      const Rank low = *std::min_element(ranks.begin(), ranks.end());
      ASSERT_GE(low, lowest);
      lowest = low;
    }
  });
}

}  // namespace
}  // namespace espalier::collective
