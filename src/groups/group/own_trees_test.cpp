#include <gtest/gtest.h>

#include "base/contract.hpp"
#include "group/group.hpp"
#include "model/logp_models.hpp"
#include "support/for_all_seeds.hpp"
#include "support/group_cluster.hpp"

namespace espalier::group {
namespace {

using testing_support::Cluster;

const model::LogGP kOwnTreesModel(64, {microseconds(10), microseconds(1), microseconds(1),
                                       bytes_per_second(1'000'000'000)});

/// A group of some of the processes, on each of them.
std::vector<Group> some_group(Cluster& cluster) {
  std::vector<Splitting> made;
  for (Id id = 0; id < cluster.size(); ++id) {
    made.push_back(cluster.process(id).world().enroll(id == 0 || cluster.random().chance(70)));
  }
  cluster.run();
  std::vector<Group> groups;
  for (Splitting& splitting : made) {
    if (const Group group = splitting.group(); group.member()) groups.push_back(group);
  }
  return groups;
}

std::span<std::byte> tree_bytes(std::vector<std::int64_t>& values) {
  return std::as_writable_bytes(std::span(values));
}

// Broadcasts and reductions with a few roots, each member at its own pace, so that some make the
// tenth call before others have made the first; nothing is told about how often a root is used.
TEST(OwnTreesProperty, AreMadeAndUsedUnaskedAndGoWithTheirGroup) {
  for_all_seeds(200, [](Random& rng) {
    Cluster cluster(static_cast<Rank>(rng.between(2, 40)), 3, rng.next());
    if (rng.chance(50)) cluster.limit_room(static_cast<std::uint32_t>(rng.between(1, 3)));
    std::vector<Group> groups = some_group(cluster);
    const auto size = static_cast<Rank>(groups.size());
    const std::uint64_t common = rng.next();
    constexpr int kCalls = 60;
    std::vector<std::vector<std::vector<std::int64_t>>> data(groups.size());
    std::vector<Ticket> tickets;
    std::size_t over_trees = 0;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      Random same(common);
      data[i].resize(kCalls);
      for (int call = 0; call < kCalls; ++call) {
        const RootUse use{static_cast<Rank>(same.below(std::min<Rank>(size, 3))) * (size - 1) / 2,
                          Bytes{32}, 1, 16, true};
        const RootWay way = groups[i].choose_way(use, RootWay::AnyVertex, kOwnTreesModel);
        over_trees += way == RootWay::OwnTree ? 1 : 0;
        const bool is_root = groups[i].rank() == use.root;
        const bool reduces = same.chance(50);
        data[i][call].assign(4, reduces || is_root ? call : 0);
        tickets.push_back(reduces
                              ? groups[i].reduce(tree_bytes(data[i][call]), sum_of<std::int64_t>(),
                                                 use.root, 16, way)
                              : groups[i].broadcast(tree_bytes(data[i][call]), use.root, 16, way));
        if (rng.chance(50)) cluster.step();
      }
    }
    cluster.run();
    for (const Ticket& ticket : tickets) ASSERT_TRUE(ticket.test());
    for (std::size_t i = 0; i < groups.size(); ++i) {
      Random same(common);
      for (int call = 0; call < kCalls; ++call) {
        const Rank root = static_cast<Rank>(same.below(std::min<Rank>(size, 3))) * (size - 1) / 2;
        const bool sums = same.chance(50) && groups[i].rank() == root;
        ASSERT_EQ(data[i][call],
                  std::vector<std::int64_t>(4, sums ? call * std::int64_t{size} : call));
      }
    }
    if (size > 8) {
      ASSERT_GT(over_trees, 0U);
    }
    for (Group& group : groups) {
      group.retire();
      if (rng.chance(50)) cluster.step();
    }
    cluster.run();
    for (Id id = 0; id < cluster.size(); ++id) {
      ASSERT_EQ(cluster.process(id).live_groups(), 1U) << "a tree is left";
      ASSERT_EQ(cluster.process(id).waiting_messages(), 0U);
    }
  });
}

TEST(OwnTrees, AreNotMadeForTheRootThatTheTreeHas) {
  Cluster cluster(5, 2, 1);
  std::vector<std::int64_t> data(1);
  for (Id id = 0; id < cluster.size(); ++id) {
    (void)cluster.process(id).world().broadcast(tree_bytes(data), 0, 0, RootWay::OwnTree);
  }
  cluster.run();
  EXPECT_EQ(cluster.process(0).trees_for_roots(), 0U);
}

TEST(OwnTrees, ACallIsNotOverBeforeItsTreeIsMade) {
  Cluster cluster(5, 2, 1);
  std::vector<std::int64_t> data(1, 3);
  const Ticket ticket =
      cluster.process(4).world().broadcast(tree_bytes(data), 4, 0, RootWay::OwnTree);
  cluster.run();
  EXPECT_FALSE(ticket.test());
  EXPECT_THROW((void)cluster.process(4).world().broadcast(tree_bytes(data), 5, 0, RootWay::OwnTree),
               ContractViolation);
}

TEST(OwnTrees, RefuseToGoWhileACallWaitsForThem) {
  Cluster cluster(5, 2, 1);
  std::vector<Group> groups = some_group(cluster);
  std::vector<std::int64_t> data(1, 3);
  (void)groups[0].broadcast(tree_bytes(data), 1, 0, RootWay::OwnTree);
  EXPECT_THROW(groups[0].retire(), ContractViolation);
}

}  // namespace
}  // namespace espalier::group
