#include "group/choose_tree.hpp"

#include <gtest/gtest.h>

#include "model/logp_models.hpp"

namespace espalier::group {
namespace {

const model::LogGP kTreeModel(1024, {microseconds(10), microseconds(1), microseconds(1),
                                     bytes_per_second(1'000'000'000)});

TEST(ChooseTree, IsNeverSlowerThanAnyOtherChoice) {
  for (const Rank members : {1U, 2U, 7U, 100U, 1024U}) {
    for (const std::uint64_t size : {0U, 8U, 4096U, 1U << 20U}) {
      const TreeChoice best = choose_tree(members, Bytes{size}, kTreeModel);
      for (Rank k = 2; k <= 16; ++k) {
        for (const std::size_t segment : {0U, 256U, 4096U, 65536U}) {
          EXPECT_LE(best.time, tree_broadcast_time(members, Bytes{size}, k, segment, kTreeModel));
        }
      }
    }
  }
}

TEST(ChooseTree, MakesWideTreesForShortAndNarrowPipelinedOnesForLongMessages) {
  const TreeChoice small = choose_tree(1024, Bytes{8}, kTreeModel);
  const TreeChoice large = choose_tree(1024, Bytes{1U << 20U}, kTreeModel);
  EXPECT_GT(small.degree, 3U);  // a latency is worth ten sends
  EXPECT_EQ(small.segment_bytes, 0U);
  EXPECT_EQ(large.degree, 2U);
  EXPECT_GT(large.segment_bytes, 0U);
}

}  // namespace
}  // namespace espalier::group
