// Calls by one copy, in all orders (orders_for_test.hpp): what a member has outside the segment is
// read between the flag that shows it and the one that its reader has left, and never else.
#include <gtest/gtest.h>

#include "shared/orders_for_test.hpp"

namespace espalier::shared {
namespace {

using namespace orders;

/// Blocks of a member outside the segment.
std::byte* block(std::uint32_t rank, std::uint64_t word) {
  return reinterpret_cast<std::byte*>(outside[rank].data() + word);
}
void fill(Member<ReplayAccess>& member, std::uint64_t first, std::uint64_t words,
          std::uint64_t value) {
  for (std::uint64_t i = 0; i < words; ++i) {
    member.access().replay->write_outside(&outside[member.rank()][first + i], value + i);
  }
}
void check_block(std::uint32_t rank, std::uint64_t first, std::uint64_t words, std::uint64_t value,
                 const char* what) {
  for (std::uint64_t i = 0; i < words; ++i) check(outside[rank][first + i] == value + i, what);
}

/// One word lies beside its flag if it goes through slots, 20 take two of them.
template <std::uint64_t kWords>
void broadcast_once(Member<ReplayAccess>& member, std::uint32_t rank, std::uint32_t root,
                    std::uint64_t value) {
  if (rank == root) fill(member, 0, kWords, value);
  check(member.broadcast(1, root, block(rank, 0), 8 * kWords, Copies::One), "signature");
  check_block(rank, 0, kWords, value, "broadcast");
}

void broadcasts_once(Member<ReplayAccess>& member, std::uint32_t rank) {
  broadcast_once<1>(member, rank, 0, 10);
  broadcast_once<20>(member, rank, 0, 100);
  std::array<std::uint64_t, 1> word{rank == 0 ? 7U : 0U};
  check(member.broadcast(1, 0, raw(word), 8), "signature");
  check(word[0] == 7, "broadcast");
  broadcast_once<1>(member, rank, 1, 20);
  broadcast_once<1>(member, rank, 0, 30);
}

TEST(AllOrdersOfOneCopy, OfBroadcastsByOneCopy) {
  for (const Refusal& refusal : {Refusal{}, Refusal{1, 0}, Refusal{0, 1}}) {
    const auto found = try_all_orders(two_members(), broadcasts_once, false, refusal);
    EXPECT_EQ(found.broken, "");
    EXPECT_GT(found.states, 50U);
  }
}

TEST(AllOrdersOfOneCopy, OfBroadcastsByOneCopyToTwo) {
  for (const Refusal& refusal : {Refusal{}, Refusal{1, 0}}) {
    const auto found = try_all_orders(
        three_members(),
        [](auto& member, std::uint32_t rank) {
          broadcast_once<20>(member, rank, 0, 10);
          broadcast_once<1>(member, rank, 2, 20);
        },
        false, refusal);
    EXPECT_EQ(found.broken, "");
    EXPECT_GT(found.states, 50U);
  }
}

TEST(AllOrdersOfOneCopy, FindAWriterThatDoesNotWaitForItsReaders) {
  EXPECT_NE(try_all_orders(two_members(), broadcasts_once, true).broken, "");
}

/// Words 0 to 7 are given, 8 to 15 are for what comes.
void gather_and_scatter_once(Member<ReplayAccess>& member, std::uint32_t rank) {
  for (std::uint64_t i = 1; i <= 2; ++i) {
    fill(member, 0, 1, 10 * i + rank);
    check(member.gather(1, 0, block(rank, 0), block(rank, 8), 8, Copies::One), "signature");
    if (rank == 0) check_block(0, 8, 2, 10 * i, "gather");
    fill(member, 0, 2, 100 * i);
    check(member.scatter(2, 0, block(rank, 0), block(rank, 4), 8, Copies::One), "signature");
    check_block(rank, 4, 1, 100 * i + rank, "scatter");
  }
}

void exchange_once(Member<ReplayAccess>& member, std::uint32_t rank) {
  const std::uint32_t size = member.geometry().members;
  fill(member, 0, size, 10 * rank);
  check(member.alltoall(1, block(rank, 0), block(rank, 8), 8, Copies::One), "signature");
  for (std::uint32_t r = 0; r < size; ++r) check_block(rank, 8 + r, 1, 10 * r + rank, "alltoall");
  fill(member, 0, 1, 50 + rank);
  if (size == 2) {
    check(member.allgather(2, block(rank, 0), block(rank, 8), 8, Copies::One), "signature");
    check_block(rank, 8, size, 50, "allgather");
    fill(member, 0, 1, 1);
  }
}

void exchange_in_place(Member<ReplayAccess>& member, std::uint32_t rank) {
  for (std::uint64_t i = 1; i <= 2; ++i) {
    fill(member, 0, 2, 100 * i + 10 * rank);
    check(member.alltoall(1, block(rank, 0), block(rank, 0), 8, Copies::One), "signature");
    check_block(rank, 0, 1, 100 * i + rank, "alltoall");
    check_block(rank, 1, 1, 100 * i + 10 + rank, "alltoall");
  }
}

TEST(AllOrdersOfOneCopy, OfGatherAndScatterAndExchangesByOneCopy) {
  for (const auto& calls : {gather_and_scatter_once, exchange_once, exchange_in_place}) {
    for (const Refusal& refusal : {Refusal{}, Refusal{1, 0}}) {
      const auto found = try_all_orders(two_members(), calls, false, refusal);
      EXPECT_EQ(found.broken, "");
      EXPECT_GT(found.states, 20U);
    }
  }
}

TEST(AllOrdersOfOneCopy, OfAnAlltoallOfThreeByOneCopy) {
  for (const Refusal& refusal : {Refusal{}, Refusal{1, 0}}) {
    const auto found = try_all_orders(three_members(), exchange_once, false, refusal);
    EXPECT_EQ(found.broken, "");
    EXPECT_GT(found.states, 100U);
  }
}

TEST(AllOrdersOfOneCopy, FindWritersOfAllKindsThatDoNotWait) {
  for (const auto& calls : {gather_and_scatter_once, exchange_once}) {
    EXPECT_NE(try_all_orders(two_members(), calls, true).broken, "");
  }
}

}  // namespace
}  // namespace espalier::shared
