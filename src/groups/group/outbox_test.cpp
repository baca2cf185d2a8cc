#include "group/outbox.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "support/for_all_seeds.hpp"
#include "support/group_cluster.hpp"

namespace espalier::group {
namespace {

using testing_support::Cluster;

std::span<std::byte> outbox_bytes(std::vector<std::int64_t>& values) {
  return std::as_writable_bytes(std::span(values));
}

SplitOptions random_outbox_options(Random& rng) {
  constexpr Scheme kSchemes[] = {Scheme::Centralized, Scheme::ShrinkAndBalance,
                                 Scheme::ShrinkByChildren, Scheme::RankAndHash};
  return {kSchemes[rng.below(4)], static_cast<Rank>(rng.between(2, 4)), rng.chance(50),
          rng.chance(50)};
}

/// Several constructions, collectives of one and of many segments, and messages to all, at once.
void use(Cluster& cluster, const std::vector<Group>& groups, std::vector<Group>& inner) {
  Random& rng = cluster.random();
  const std::size_t segment = rng.chance(50) ? 0 : static_cast<std::size_t>(rng.between(8, 64));
  const SplitOptions options = random_outbox_options(rng);
  std::vector<std::vector<std::int64_t>> sums(groups.size());
  std::vector<Splitting> made;
  std::vector<Ticket> tickets;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    sums[i].assign(20, 1);
    made.push_back(groups[i].enroll(rng.chance(70), options));
    made.push_back(groups[i].split(static_cast<Colour>(rng.below(3))));
    for (int calls = 0; calls < 5; ++calls) tickets.push_back(groups[i].barrier());
    tickets.push_back(groups[i].allreduce(outbox_bytes(sums[i]), sum_of<std::int64_t>(), segment));
    for (Rank to = 0; to < groups[i].size(); ++to) groups[i].send(to, {});
    if (rng.chance(50)) cluster.step();
  }
  cluster.run();
  for (const Ticket& ticket : tickets) ASSERT_TRUE(ticket.test());
  for (const auto& sum : sums) {
    ASSERT_EQ(sum, std::vector<std::int64_t>(20, std::int64_t(groups.size())));
  }
  for (const Group& group : groups) {
    for (Rank from = 0; from < group.size(); ++from) ASSERT_TRUE(group.receive(from));
  }
  for (std::size_t i = 0; i < made.size(); ++i) {
    ASSERT_TRUE(made[i].test());
    const Group group = made[i].group();
    if (i % 2 == 0 && group.member()) inner.push_back(group);
  }
}

TEST(OutboxProperty, NoMoreMessagesAreUnderWayToAProcessThanThereIsRoomFor) {
  for_all_seeds(400, [](Random& rng) {
    Cluster cluster(static_cast<Rank>(rng.between(1, 30)), static_cast<Rank>(rng.between(2, 4)),
                    rng.next());
    const auto room = static_cast<std::uint32_t>(rng.between(1, 3));
    cluster.limit_room(room);
    std::vector<Group> groups;
    for (Id id = 0; id < cluster.size(); ++id) groups.push_back(cluster.process(id).world());
    for (int depth = 0; depth < 3 && !groups.empty(); ++depth) {
      std::vector<Group> inner;
      use(cluster, groups, inner);
      if (testing::Test::HasFailure()) return;
      groups = inner;
    }
    ASSERT_LE(cluster.most_under_way(), room);
    for (Id id = 0; id < cluster.size(); ++id) {
      ASSERT_EQ(cluster.process(id).held_messages(), 0U);
      ASSERT_EQ(cluster.process(id).waiting_messages(), 0U);
    }
  });
}

// A process that is no member is done with Shrink-and-Balance when it has said so, and could run
// ahead of its parent for ever.
TEST(Outbox, ACallIsNotOverBeforeItsMessagesHaveLeft) {
  Cluster cluster(4, 3, 1);
  cluster.limit_room(16);
  const Group last = cluster.process(3).world();
  std::vector<Splitting> made;
  for (int i = 0; i < 100; ++i) {
    made.push_back(last.enroll(false, {.scheme = Scheme::ShrinkAndBalance}));
  }
  EXPECT_EQ(cluster.most_under_way(), 16U);
  EXPECT_EQ(cluster.process(3).held_messages(), 84U);
  EXPECT_TRUE(made[15].test());
  EXPECT_FALSE(made[16].test());
  cluster.run();
  EXPECT_TRUE(made[99].test());
  EXPECT_EQ(cluster.most_under_way(), 16U);
}

TEST(Outbox, MessagesToOneProcessLeaveInTheirOrder) {
  struct Narrow : Endpoint {
    [[nodiscard]] Id self() const override { return 0; }
    void send(Id, Message message) override { sent.push_back(message.tag); }
    [[nodiscard]] bool has_room(Id) const override { return sent.size() < room; }
    std::size_t room = 2;
    std::vector<Tag> sent;
  } network;
  Outbox outbox(network);
  for (Tag tag = 1; tag <= 6; ++tag) outbox.send(1, {tag, 0, Kind::Up, 0, {}});
  EXPECT_EQ(network.sent.size(), 2U);
  EXPECT_FALSE(outbox.holds(2));
  EXPECT_TRUE(outbox.holds(3));
  network.room = 5;
  EXPECT_FALSE(outbox.has_room(1)) << "those that wait go first";
  outbox.pump();
  network.room = 9;
  outbox.pump();
  EXPECT_EQ(network.sent, (std::vector<Tag>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(outbox.size() + outbox.bytes(), 0U);
}

}  // namespace
}  // namespace espalier::group
