#include "group/choose_root.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/contract.hpp"
#include "group/group.hpp"
#include "model/logp_models.hpp"
#include "support/for_all_seeds.hpp"

namespace espalier::group {
namespace {

const model::LogGP kModel(4096, {microseconds(10), microseconds(1), microseconds(1),
                                 bytes_per_second(1'000'000'000)});

/// Any member's view in a group with breadth-first ranks, with and without links.
GroupView heap_place(Rank size, Rank degree, bool routable) {
  GroupView view = world_view(0, size, degree);
  view.numbering = Numbering::Heap;
  if (routable) view.links.assign(degree, 0);
  return view;
}

/// When the last rank has what spreads from `at` along all edges but the one that it came by: in
/// the order of TreeOperation, children first.
Time spread(const GroupView& view, Rank at, Rank from, Bytes size, Time now) {
  const model::MessageCost cost = kModel.cost(0, 1, size);
  std::vector<Rank> neighbours;
  for (std::uint64_t c = 1; c <= view.degree; ++c) {
    const std::uint64_t child = std::uint64_t{at} * view.degree + c;
    if (child < view.size) neighbours.push_back(static_cast<Rank>(child));
  }
  if (at > 0) neighbours.push_back((at - 1) / view.degree);
  Time last = now;
  for (const Rank to : neighbours) {
    if (to == from) continue;
    last = std::max(last, spread(view, to, at, size, now + cost.delivered));
    now += cost.sender_busy;
  }
  return last;
}

TEST(ChooseRootProperty, NeverPromisesMoreThanTheTreeKeeps) {
  for_all_seeds(300, [](Random& rng) {
    const GroupView view = heap_place(static_cast<Rank>(rng.between(1, 300)),
                                      static_cast<Rank>(rng.between(2, 6)), rng.chance(50));
    const RootUse use{static_cast<Rank>(rng.below(view.size)),
                      Bytes{static_cast<std::uint64_t>(rng.between(0, 100000))}};
    const Time whole = spread(view, use.root, kNoRank, use.size, {});
    ASSERT_GE(root_time(RootWay::AnyVertex, view, use, kModel), whole);
    const Time from_top = spread(view, 0, kNoRank, use.size, {});
    ASSERT_GE(root_time(RootWay::Forward, view, use, kModel), from_top);
  });
}

TEST(ChooseRootProperty, MakesATreeOnceThereAreEnoughCallsAndNotBefore) {
  for_all_seeds(300, [](Random& rng) {
    const GroupView view = heap_place(static_cast<Rank>(rng.between(2, 4000)),
                                      static_cast<Rank>(rng.between(2, 6)), rng.chance(50));
    RootUse use{static_cast<Rank>(rng.between(1, view.size - 1)), Bytes{8}};
    ASSERT_NE(choose_root(view, use, kModel), RootWay::OwnTree);
    bool own = false;
    for (use.calls = 1; use.calls < 1'000'000; use.calls *= 2) {
      const bool now = choose_root(view, use, kModel) == RootWay::OwnTree;
      ASSERT_TRUE(now || !own) << "more calls, and the tree is no longer worth it";
      own = now;
    }
    ASSERT_TRUE(own);
    use.root = 0;
    ASSERT_NE(choose_root(view, use, kModel), RootWay::OwnTree);
  });
}

TEST(ChooseRoot, ANewTreeCostsMoreWhereIdsTravelThroughTheTreesRoot) {
  const RootUse use{4000, Bytes{8}};
  EXPECT_LT(root_time(RootWay::OwnTree, heap_place(4096, 3, true), use, kModel),
            root_time(RootWay::OwnTree, heap_place(4096, 3, false), use, kModel));
}

TEST(ChooseRoot, RefusesARootThatIsNotThere) {
  EXPECT_THROW((void)choose_root(heap_place(4, 2, true), {4, Bytes{8}}, kModel), ContractViolation);
}

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
