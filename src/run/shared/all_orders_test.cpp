// Calls through slots, in all orders (orders_for_test.hpp).
#include <gtest/gtest.h>

#include "shared/orders_for_test.hpp"

namespace espalier::shared {
namespace {

using namespace orders;

void broadcasts(Member<ReplayAccess>& member, std::uint32_t rank, std::uint32_t root, int count) {
  for (int i = 1; i <= count; ++i) {
    std::array<std::uint64_t, 1> data{rank == root ? static_cast<std::uint64_t>(i) : 0};
    check(member.broadcast(1, root, raw(data), 8), "signature");
    check(data[0] == static_cast<std::uint64_t>(i), "broadcast");
  }
}

TEST(AllOrders, OfBroadcastsThatUseSlotsAgain) {
  const auto found = try_all_orders(two_members(), [](auto& member, std::uint32_t rank) {
    broadcasts(member, rank, 0, 5);
    broadcasts(member, rank, 1, 2);
  });
  EXPECT_EQ(found.broken, "");
  EXPECT_GT(found.states, 50U);
}

TEST(AllOrders, OfBroadcastsToTwo) {
  const auto found = try_all_orders(
      three_members(), [](auto& member, std::uint32_t rank) { broadcasts(member, rank, 1, 3); });
  EXPECT_EQ(found.broken, "");
  EXPECT_GT(found.states, 100U);
}

/// Messages beside their flags, in cells and in slots: cells and slots are the same memory.
template <std::size_t N>
void broadcast_words(Member<ReplayAccess>& member, std::uint32_t rank, std::uint64_t first) {
  std::array<std::uint64_t, N> words{};
  for (std::size_t i = 0; rank == 0 && i < N; ++i) words[i] = first + i;
  check(member.broadcast(1, 0, raw(words), 8 * N), "signature");
  check(words.front() == first && words.back() == first + N - 1, "broadcast");
}

void broadcasts_of_all_lengths(Member<ReplayAccess>& member, std::uint32_t rank) {
  for (std::uint64_t i = 0; i < 2; ++i) {
    broadcast_words<15>(member, rank, 10 * i + 1);
    broadcast_words<32>(member, rank, 10 * i + 2);
    broadcast_words<32>(member, rank, 10 * i + 3);
    broadcast_words<15>(member, rank, 10 * i + 4);
    broadcast_words<1>(member, rank, 10 * i + 5);
  }
  for (std::uint64_t i = 0; i < 6; ++i) broadcast_words<15>(member, rank, 100 + i);
}

TEST(AllOrders, OfMessagesInCellsAndSlots) {
  const auto found = try_all_orders(two_with_cells(), broadcasts_of_all_lengths);
  EXPECT_EQ(found.broken, "");
  EXPECT_GT(found.states, 50U);
}

TEST(AllOrders, FindAMemberThatWritesSlotsOverCells) {
  const auto found = try_all_orders(two_with_cells(), broadcasts_of_all_lengths, true);
  EXPECT_NE(found.broken, "");
}

TEST(AllOrders, OfASegmentThatIsUsedAgain) {
  // The second pair of members begins where the first has ended, as another communicator does.
  const auto found = try_all_orders(two_members(), [](auto& member, std::uint32_t rank) {
    broadcasts(member, rank, 0, 3);
    Member<ReplayAccess> next = member.again(member.access());
    broadcasts(next, rank, 1, 3);
  });
  EXPECT_EQ(found.broken, "");
}

TEST(AllOrders, FindAMemberThatUsesSlotsTooEarly) {
  const auto found = try_all_orders(
      two_members(), [](auto& member, std::uint32_t rank) { broadcasts(member, rank, 0, 5); },
      true);
  EXPECT_NE(found.broken, "");
}

TEST(AllOrders, FindCallsThatDoNotMatch) {
  const auto found = try_all_orders(two_members(), [](auto& member, std::uint32_t rank) {
    if (rank == 0) return;
    broadcasts(member, rank, 0, 1);
  });
  EXPECT_EQ(found.broken, "nobody can go on");
}

TEST(AllOrders, OfBarriersAndAllreduces) {
  for (const Geometry& geometry : {two_members(), three_members()}) {
    const auto found = try_all_orders(geometry, [&](auto& member, std::uint32_t rank) {
      const int rounds = geometry.members == 2 ? 3 : 1;
      for (int i = 0; i < rounds; ++i) {
        std::array<std::uint64_t, 1> data{rank + 1};
        check(member.allreduce(1, raw(data), raw(data), 8, 8, Numbers()), "signature");
        check(data[0] == (geometry.members == 2 ? 12U : 123U), "allreduce");
        check(member.barrier(2), "signature");
      }
    });
    EXPECT_EQ(found.broken, "");
    EXPECT_GT(found.states, 50U);
  }
}

/// The memory steps of one node of several: a leader, not the first member, collects pieces and
/// shows what came of them, one piece behind. What it does in between with other nodes is not seen
/// here: it is as if that took no time.
void steps_of_a_node(Member<ReplayAccess>& member, std::uint32_t rank, std::uint32_t leader,
                     std::uint64_t expected) {
  constexpr std::uint64_t kPiecesOfCall = 2;
  std::array<std::uint64_t, kPiecesOfCall> data{}, partial{}, result{};
  for (std::uint64_t k = 0; k <= kPiecesOfCall; ++k) {
    if (k < kPiecesOfCall) {
      data[k] = rank + 1;
      check(member.reduce(1, leader, raw(data) + 8 * k, raw(partial) + 8 * k, 8, 8, Numbers()),
            "signature");
    }
    if (k == 0) continue;
    if (rank == leader) result[k - 1] = partial[k - 1];
    check(member.broadcast(2, leader, raw(result) + 8 * (k - 1), 8), "signature");
    check(result[k - 1] == expected, "result");
  }
  check(member.report(3, leader), "signature");
  check(member.release(3, leader), "signature");
}

TEST(AllOrders, OfTheStepsOfANodeOfSeveral) {
  const auto two = try_all_orders(two_members(), [](auto& member, std::uint32_t rank) {
    steps_of_a_node(member, rank, 1, 12);
  });
  EXPECT_EQ(two.broken, "");
  const auto three = try_all_orders(three_members(), [](auto& member, std::uint32_t rank) {
    std::array<std::uint64_t, 1> data{rank + 1};
    check(member.reduce(1, 1, raw(data), raw(data), 8, 8, Numbers()), "signature");
    check(member.broadcast(2, 1, raw(data), 8), "signature");
    check(data[0] == 123, "result");
  });
  EXPECT_EQ(three.broken, "");
  EXPECT_GT(three.states, 10U);
}

/// Pieces of 120 bytes lie in slots and are reduced in slices, as those of 4 KiB and more are.
constexpr Geometry three_with_slices() { return {3, 2, kLine, 1, kLine - 8}; }
using Words = std::array<std::uint64_t, kLine / 8 - 1>;

/// Behind a reduction one member alone writes, twice: over its input, and over its slice of the
/// result. Others may still be reading them.
void write_twice(Member<ReplayAccess>& member, std::uint32_t rank, std::uint32_t root) {
  for (std::uint64_t i = 1; i <= 2; ++i) {
    Words data{};
    if (rank == root) data.fill(i);
    check(member.broadcast(2, root, raw(data), sizeof data), "signature");
    check(data.front() == i && data.back() == i, "broadcast");
  }
}

void allreduce_in_slices(Member<ReplayAccess>& member, std::uint32_t rank) {
  Words data{};
  data.fill(rank + 1);
  check(member.is_sliced(sizeof data), "slices");
  check(member.allreduce(1, raw(data), raw(data), sizeof data, 8, Numbers()), "signature");
  for (const std::uint64_t value : data) check(value == 123, "allreduce");
  write_twice(member, rank, 0);
}

void reduce_in_slices(Member<ReplayAccess>& member, std::uint32_t rank) {
  Words data{}, result{};
  data.fill(rank + 1);
  check(member.reduce(1, 0, raw(data), raw(result), sizeof data, 8, Numbers()), "signature");
  for (const std::uint64_t value : result) check(value == (rank == 0 ? 123U : 0U), "reduce");
  write_twice(member, rank, 1);
}

TEST(AllOrders, OfReductionsInSlices) {
  for (const auto& calls : {allreduce_in_slices, reduce_in_slices}) {
    const auto found = try_all_orders(three_with_slices(), calls);
    EXPECT_EQ(found.broken, "");
    EXPECT_GT(found.states, 100U);
  }
}

TEST(AllOrders, FindAMemberThatWritesOverSlicesTooEarly) {
  for (const auto& calls : {allreduce_in_slices, reduce_in_slices}) {
    EXPECT_NE(try_all_orders(three_with_slices(), calls, true).broken, "");
  }
}

TEST(AllOrders, OfGatherAndScatterAndAlltoall) {
  const auto found = try_all_orders(two_members(), [](auto& member, std::uint32_t rank) {
    std::array<std::uint64_t, 1> own{rank + 5};
    std::array<std::uint64_t, 2> all{};
    for (int i = 0; i < 3; ++i) {
      check(member.gather(1, 0, raw(own), raw(all), 8), "signature");
      check(rank != 0 || (all[0] == 5 && all[1] == 6), "gather");
    }
    std::array<std::uint64_t, 1> back{};
    check(member.scatter(1, 0, raw(all), raw(back), 8), "signature");
    check(back[0] == rank + 5, "scatter");
    const std::array<std::uint64_t, 2> sent{rank, rank + 10};
    check(member.alltoall(1, raw(sent), raw(all), 8), "signature");
    check(all[0] == rank * 10 && all[1] == rank * 10 + 1, "alltoall");
  });
  EXPECT_EQ(found.broken, "");
  EXPECT_GT(found.states, 50U);
}

}  // namespace
}  // namespace espalier::shared
