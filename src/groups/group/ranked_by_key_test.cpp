#include "group/ranked_by_key.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "support/for_all_seeds.hpp"
#include "support/group_cluster.hpp"

namespace espalier::group {
namespace {

using testing_support::Cluster;

// By the zero-one principle a network that sorts all zeros and ones sorts everything.
TEST(MergeExchange, SortsEveryListOfZerosAndOnes) {
  for (Rank size = 1; size <= 13; ++size) {
    for (std::uint32_t bits = 0; bits < 1U << size; ++bits) {
      std::vector<std::uint32_t> items(size);
      for (Rank i = 0; i < size; ++i) items[i] = bits >> i & 1U;
      for (std::uint32_t round = 0; round < merge_exchange_rounds(size); ++round) {
        for (Rank i = 0; i < size; ++i) {
          const auto other = merge_exchange_partner(i, size, round);
          if (!other) continue;
          ASSERT_EQ(merge_exchange_partner(*other, size, round), i) << size << " " << round;
          if (i < *other && items[i] > items[*other]) std::swap(items[i], items[*other]);
        }
      }
      ASSERT_TRUE(std::is_sorted(items.begin(), items.end())) << size << " " << bits;
    }
  }
}

std::map<Id, Group> finished(std::vector<std::pair<Id, Splitting>>& splits) {
  std::map<Id, Group> groups;
  for (auto& [id, splitting] : splits) {
    EXPECT_TRUE(splitting.test()) << "process " << id;
    if (Group group = splitting.group(); group.member()) groups[id] = group;
  }
  return groups;
}

TEST(RankedByKeyProperty, RanksFollowKeysAndThenRanks) {
  for_all_seeds(300, [](Random& rng) {
    Cluster cluster(static_cast<Rank>(rng.between(1, 50)), 3, rng.next());
    const SplitOptions options{.routable = rng.chance(50), .settled = rng.chance(50)};
    std::vector<std::pair<Id, Splitting>> splits;
    for (Id id = 0; id < cluster.size(); ++id) {
      splits.emplace_back(id, cluster.process(id).world().enroll(rng.chance(80), options));
    }
    cluster.run();
    const auto groups = finished(splits);
    std::map<Id, std::uint64_t> keys;
    std::vector<std::pair<Id, Splitting>> sorts;
    for (const auto& [id, group] : groups) {
      keys[id] = rng.chance(50) ? rng.below(4) : rng.next();
      sorts.emplace_back(id, group.ranked_by(keys[id], options));
      if (rng.chance(50)) cluster.step();
    }
    cluster.run();
    const auto ranked = finished(sorts);
    std::vector<std::tuple<std::uint64_t, Rank, Id>> order;
    for (const auto& [id, group] : groups) order.emplace_back(keys[id], group.rank(), id);
    std::sort(order.begin(), order.end());
    for (Rank i = 0; i < order.size(); ++i) {
      ASSERT_EQ(ranked.at(std::get<2>(order[i])).rank(), i);
    }
    for (Id id = 0; id < cluster.size(); ++id) {
      ASSERT_EQ(cluster.process(id).waiting_messages(), 0U);
    }
  });
}

// Each process retires its groups as soon as its own part is over; messages of others may still be
// on their way through it.
TEST(RetireProperty, GroupsGoWhenAllMembersHaveGivenThemUp) {
  for_all_seeds(300, [](Random& rng) {
    Cluster cluster(static_cast<Rank>(rng.between(1, 30)), 3, rng.next());
    std::vector<std::size_t> before;
    std::map<Id, Group> groups;
    for (Id id = 0; id < cluster.size(); ++id) {
      before.push_back(cluster.process(id).bytes());
      groups[id] = cluster.process(id).world();
    }
    for (int depth = 0; depth < 3; ++depth) {
      std::vector<std::pair<Id, Splitting>> splits;
      for (const auto& [id, group] : groups) splits.emplace_back(id, group.enroll(rng.chance(80)));
      std::map<Id, Group> nested;
      while (nested.size() < splits.size()) {
        for (auto& [id, splitting] : splits) {
          if (nested.contains(id) || !splitting.test()) continue;
          if (depth > 0 && !groups.at(id).receive()) continue;
          nested[id] = splitting.group();
          const Group group = nested[id];
          if (group.member()) group.send((group.rank() + 1) % group.size(), {});
          if (depth > 0) groups.at(id).retire();
        }
        cluster.step();
      }
      std::erase_if(nested, [](const auto& entry) { return !entry.second.member(); });
      groups = std::move(nested);
    }
    cluster.run();
    for (auto& [id, group] : groups) {
      ASSERT_TRUE(group.receive());
      group.retire();
    }
    cluster.run();
    for (Id id = 0; id < cluster.size(); ++id) {
      ASSERT_EQ(cluster.process(id).live_groups(), 1U) << id;
      ASSERT_EQ(cluster.process(id).waiting_messages(), 0U) << id;
      ASSERT_EQ(cluster.process(id).bytes(), before[id]) << id;
    }
  });
}

}  // namespace
}  // namespace espalier::group
