#include "group/group.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/contract.hpp"
#include "support/for_all_seeds.hpp"
#include "support/group_cluster.hpp"

namespace espalier::group {
namespace {

using testing_support::Cluster;

SplitOptions random_options(Random& rng) {
  constexpr Scheme kSchemes[] = {Scheme::Centralized, Scheme::ShrinkAndBalance,
                                 Scheme::ShrinkByChildren, Scheme::RankAndHash};
  return {kSchemes[rng.below(4)], static_cast<Rank>(rng.between(2, 4)), rng.chance(50)};
}

/// Those who said yes, each with its handle.
std::map<Id, Group> enrolled(Cluster& cluster, const std::map<Id, Group>& parents,
                             const SplitOptions& options, unsigned percent) {
  std::vector<std::pair<Id, Splitting>> under_way;
  for (const auto& [id, group] : parents) {
    under_way.emplace_back(id, group.enroll(cluster.random().chance(percent), options));
    if (cluster.random().chance(50)) cluster.step();  // some begin while others are at it
  }
  cluster.run();
  std::map<Id, Group> groups;
  for (auto& [id, splitting] : under_way) {
    EXPECT_TRUE(splitting.test()) << "process " << id;
    if (Group group = splitting.group(); group.member()) groups[id] = group;
  }
  return groups;
}

std::map<Id, Group> world_of(Cluster& cluster) {
  std::map<Id, Group> world;
  for (Id id = 0; id < cluster.size(); ++id) world[id] = cluster.process(id).world();
  return world;
}

std::span<std::byte> bytes_of(std::vector<std::int64_t>& values) {
  return std::as_writable_bytes(std::span(values));
}

void expect_collectives(Cluster& cluster, const std::map<Id, Group>& groups) {
  if (groups.empty()) return;
  Random& rng = cluster.random();
  const auto size = static_cast<Rank>(groups.size());
  const auto root = static_cast<Rank>(rng.below(size));
  const auto count = static_cast<std::size_t>(rng.between(0, 40));
  const std::size_t segment = rng.chance(50) ? 0 : static_cast<std::size_t>(rng.between(1, 64));
  constexpr std::optional<RootWay> kWays[] = {std::nullopt, RootWay::Forward, RootWay::AnyVertex,
                                              RootWay::OwnTree};
  const std::optional<RootWay> way = kWays[rng.below(4)];
  std::map<Id, std::vector<std::int64_t>> sent, reduced, all;
  std::vector<Ticket> tickets;
  for (const auto& [id, group] : groups) {
    ASSERT_EQ(group.size(), size);
    sent[id].assign(count, group.rank() == root ? 42 : 0);
    reduced[id].assign(count, group.rank());
    all[id].assign(count, id);
    tickets.push_back(group.broadcast(bytes_of(sent[id]), root, segment, way));
    tickets.push_back(
        group.reduce(bytes_of(reduced[id]), sum_of<std::int64_t>(), root, segment, way));
    tickets.push_back(group.allreduce(bytes_of(all[id]), maximum_of<std::int64_t>(), segment));
    tickets.push_back(group.barrier());
    if (rng.chance(50)) cluster.step();
  }
  cluster.run();
  for (const Ticket& ticket : tickets) ASSERT_TRUE(ticket.test());
  for (const auto& [id, group] : groups) {
    const bool is_root = group.rank() == root;
    ASSERT_EQ(sent[id], std::vector<std::int64_t>(count, 42));
    const std::int64_t sum = std::int64_t{size} * (size - 1) / 2;
    ASSERT_EQ(reduced[id], std::vector<std::int64_t>(count, is_root ? sum : group.rank()));
    ASSERT_EQ(all[id], std::vector<std::int64_t>(count, groups.rbegin()->first));
  }
}

TEST(GroupProperty, CollectivesWorkOnNestedGroupsInAnyOrder) {
  for_all_seeds(400, [](Random& rng) {
    Cluster cluster(static_cast<Rank>(rng.between(1, 40)), static_cast<Rank>(rng.between(2, 4)),
                    rng.next());
    std::map<Id, Group> groups = world_of(cluster);
    for (int depth = 0; depth < 3; ++depth) {
      expect_collectives(cluster, groups);
      groups = enrolled(cluster, groups, random_options(rng), 80);
    }
    for (Id id = 0; id < cluster.size(); ++id) {
      ASSERT_EQ(cluster.process(id).waiting_messages(), 0U);
    }
  });
}

TEST(GroupProperty, BarrierLetsNobodyOutBeforeAllAreIn) {
  for_all_seeds(200, [](Random& rng) {
    Cluster cluster(static_cast<Rank>(rng.between(2, 30)), 3, rng.next());
    const std::map<Id, Group> groups = world_of(cluster);
    std::vector<Ticket> tickets;
    for (Id id = 0; id + 1 < cluster.size(); ++id) tickets.push_back(groups.at(id).barrier());
    cluster.run();
    for (const Ticket& ticket : tickets) ASSERT_FALSE(ticket.test());
    tickets.push_back(groups.at(cluster.size() - 1).barrier());
    cluster.run();
    for (const Ticket& ticket : tickets) ASSERT_TRUE(ticket.test());
  });
}

TEST(GroupProperty, SeveralSplitsAreMadeAtOnce) {
  for_all_seeds(200, [](Random& rng) {
    Cluster cluster(static_cast<Rank>(rng.between(1, 40)), 3, rng.next());
    const std::map<Id, Group> world = world_of(cluster);
    std::vector<std::vector<Splitting>> splits(cluster.size());
    for (const auto& [id, group] : world) {
      for (Colour i = 1; i < 6; ++i) {
        splits[id].push_back(group.split(id % i));
        splits[id].push_back(group.enroll(id % i == 0, {.scheme = Scheme::ShrinkAndBalance}));
      }
    }
    cluster.run();
    for (std::size_t i = 0; i < 10; ++i) {
      std::map<Colour, std::map<Id, Group>> groups;
      const auto modulus = static_cast<Id>(i / 2 + 1);
      for (Id id = 0; id < cluster.size(); ++id) {
        ASSERT_TRUE(splits[id][i].test());
        const Group group = splits[id][i].group();
        ASSERT_EQ(group.member(), i % 2 == 0 || id % modulus == 0);
        if (group.member()) groups[id % modulus][id] = group;
      }
      for (const auto& [colour, members] : groups) expect_collectives(cluster, members);
    }
  });
}

TEST(GroupProperty, MembersReachEachOtherByRank) {
  for_all_seeds(200, [](Random& rng) {
    Cluster cluster(static_cast<Rank>(rng.between(1, 40)), 3, rng.next());
    const auto groups = enrolled(cluster, world_of(cluster), random_options(rng), 70);
    for (const auto& [id, group] : groups) {
      for (Rank to = 0; to < group.size(); ++to) {
        const Rank note[2] = {group.rank(), to};
        group.send(to, std::as_bytes(std::span(note)));
      }
    }
    cluster.run();
    for (const auto& [id, group] : groups) {
      std::vector<bool> heard(group.size());
      while (const auto parcel = group.receive()) {
        Rank note[2] = {};
        ASSERT_EQ(parcel->data.size(), sizeof(note));
        std::copy(parcel->data.begin(), parcel->data.end(),
                  std::as_writable_bytes(std::span(note)).begin());
        ASSERT_EQ(note[0], parcel->from);
        ASSERT_EQ(note[1], group.rank());
        ASSERT_FALSE(heard[parcel->from]);
        heard[parcel->from] = true;
      }
      ASSERT_EQ(heard, std::vector<bool>(group.size(), true));
    }
  });
}

TEST(GroupProperty, TreesFollowTheTopologyInASecondPass) {
  for_all_seeds(200, [](Random& rng) {
    Cluster cluster(static_cast<Rank>(rng.between(1, 40)), 3, rng.next());
    const auto groups = enrolled(cluster, world_of(cluster), random_options(rng), 70);
    const SplitOptions options = random_options(rng);
    std::vector<std::pair<Id, Splitting>> made;
    for (const auto& [id, group] : groups) {
      made.emplace_back(id, group.along(Words{id % 2, id % 6}, options));
    }
    cluster.run();
    std::map<Id, Group> along;
    for (auto& [id, splitting] : made) {
      ASSERT_TRUE(splitting.test());
      along[id] = splitting.group();
      ASSERT_EQ(along[id].size(), groups.size());
    }
    expect_collectives(cluster, along);
  });
}

TEST(GroupProperty, AnyMemberCanBecomeTheRootOfATree) {
  for_all_seeds(200, [](Random& rng) {
    Cluster cluster(static_cast<Rank>(rng.between(1, 40)), 3, rng.next());
    const auto groups = enrolled(cluster, world_of(cluster), random_options(rng), 70);
    if (groups.empty()) return;
    const auto root = static_cast<Rank>(rng.below(groups.size()));
    std::vector<std::pair<Id, Splitting>> made;
    for (const auto& [id, group] : groups) made.emplace_back(id, group.rooted_at(root));
    cluster.run();
    std::map<Id, Group> rooted;
    for (auto& [id, splitting] : made) {
      ASSERT_TRUE(splitting.test());
      rooted[id] = splitting.group();
      ASSERT_EQ(rooted[id].rank() == 0, groups.at(id).rank() == root);
    }
    expect_collectives(cluster, rooted);
  });
}

TEST(Group, FiveThousandAreAliveAtOnceInAFewHundredBytesEach) {
  Cluster cluster(8, 3, 1);
  std::vector<std::vector<Group>> groups(cluster.size());
  const std::size_t before = cluster.process(0).bytes();
  for (int i = 0; i < 5000; ++i) {
    std::vector<Splitting> splits;
    for (const auto& [id, group] : world_of(cluster)) splits.push_back(group.enroll(true));
    cluster.run();
    for (Id id = 0; id < cluster.size(); ++id) groups[id].push_back(splits[id].group());
  }
  EXPECT_EQ(cluster.process(0).live_groups(), 5001U);
  EXPECT_LT((cluster.process(0).bytes() - before) / 5000, 700U);
  for (auto& mine : groups) {
    for (Group& group : mine) group.free();
  }
  EXPECT_EQ(cluster.process(0).live_groups(), 1U);
  EXPECT_EQ(cluster.process(0).bytes(), before);
}

/// Whole messages, as many segments on both sides, or more on one.
TEST(Group, RefusesCallsThatDiffer) {
  for (const std::size_t segment : {0, 16, 32, 64}) {
    for (const std::size_t count : {4U, 8U}) {
      for (const bool reduces : {false, true}) {
        Cluster cluster(2, 2, 1);
        std::vector<std::int64_t> first(count, 1), second(12 - count);
        const Group root = cluster.process(0).world(), other = cluster.process(1).world();
        if (reduces) {
          (void)root.allreduce(bytes_of(first), sum_of<std::int64_t>(), segment);
          (void)other.allreduce(bytes_of(second), sum_of<std::int64_t>(), segment);
        } else {
          (void)root.broadcast(bytes_of(first), 0, segment);
          (void)other.broadcast(bytes_of(second), 0, segment);
        }
        EXPECT_THROW(cluster.run(), ContractViolation) << segment << " " << count << " " << reduces;
        EXPECT_EQ(second, std::vector<std::int64_t>(12 - count));
      }
    }
  }
  Cluster cluster(2, 2, 1);
  std::vector<std::int64_t> first(4), second(4);
  (void)cluster.process(0).world().broadcast(bytes_of(first), 0);
  (void)cluster.process(1).world().allreduce(bytes_of(second), sum_of<std::int64_t>());
  EXPECT_THROW(cluster.run(), ContractViolation);
}

TEST(Group, RefusesWhatItCannotDo) {
  Cluster cluster(3, 2, 1);
  const Group world = cluster.process(0).world();
  std::vector<std::int64_t> data(1);
  EXPECT_THROW((void)world.broadcast(bytes_of(data), 3), ContractViolation);
  EXPECT_THROW(world.send(3, {}), ContractViolation);
  const std::byte one{};
  EXPECT_THROW(world.send(1, {&one, std::size_t{1} << 32U}), ContractViolation);
  EXPECT_THROW((void)world.rooted_at(3), ContractViolation);
  EXPECT_THROW((void)world.split(0, {.scheme = Scheme::Centralized}), ContractViolation);
  EXPECT_THROW((void)Group().view(), ContractViolation);
  EXPECT_EQ(Group().size(), 0U);
}

}  // namespace
}  // namespace espalier::group
