#include "select/shared_memory.hpp"

#include <gtest/gtest.h>

#include "topology/readers.hpp"

namespace espalier::select {
namespace {

using schedule::Collective;
using schedule::Operation;

topology::Machine node(const char* ranks) {
  return *topology::parse_synthetic(std::string("proc:") + ranks + "(500ns,name=memory)");
}
Collective call_in_memory(Operation operation, Rank size, std::uint64_t bytes) {
  return {operation, size, 0, bytes / 8, Bytes{8}, true, {}};
}

TEST(SharedMemory, IsPredictedOnOneNodeOnly) {
  const Collective call = call_in_memory(Operation::Broadcast, 4, 1024);
  EXPECT_TRUE(predict_shared_memory(node("4"), call));
  const auto two = *topology::parse_synthetic("node:2(1us,name=net) proc:2(500ns,name=memory)");
  EXPECT_FALSE(is_one_node(two));
  EXPECT_FALSE(predict_shared_memory(two, call));
  EXPECT_FALSE(predict_shared_memory(node("129"), call_in_memory(Operation::Broadcast, 129, 8)));
  EXPECT_FALSE(predict_shared_memory(node("1"), call_in_memory(Operation::Broadcast, 1, 8)));
}

TEST(SharedMemory, CostsTheBusiestRanksCopies) {
  const SharedMemoryCosts costs{nanoseconds(100), nanoseconds(10), picoseconds(100),
                                picoseconds(200)};
  const auto time = [&](Operation operation, std::uint64_t bytes) {
    return *predict_shared_memory(node("4"), call_in_memory(operation, 4, bytes), costs);
  };
  constexpr std::uint64_t kLong = 1 << 20, kPiece = 32768;
  const auto copies = [](std::uint64_t bytes) {
    return static_cast<std::int64_t>(bytes) * picoseconds(100);
  };
  EXPECT_EQ(time(Operation::Barrier, 0), nanoseconds(110));
  EXPECT_EQ(time(Operation::Broadcast, kLong), nanoseconds(100) + copies(kLong + kPiece));
  EXPECT_EQ(time(Operation::Alltoall, kLong), nanoseconds(110) + copies(7 * kLong));
  // Slice by slice: each rank writes, combines a slice of all, reads all slices.
  EXPECT_EQ(time(Operation::Allreduce, kLong), nanoseconds(120) + copies(2 * kLong + 2 * kLong));
  // Short vectors are combined by all.
  EXPECT_EQ(time(Operation::Allreduce, 80), nanoseconds(110) + copies(80 + 2 * 4 * 80));
}

TEST(SharedMemory, TakesNoLessTimeForMore) {
  const topology::Machine machine = node("3");
  for (int i = 0; i < schedule::kOperationCount; ++i) {
    Time last{0};
    for (std::uint64_t bytes = 8; bytes <= 1 << 22; bytes *= 2) {
      const auto now =
          predict_shared_memory(machine, call_in_memory(static_cast<Operation>(i), 3, bytes));
      ASSERT_TRUE(now);
      EXPECT_GE(*now, last) << bytes;
      last = *now;
    }
  }
}

TEST(SharedMemory, CopiesLongBlocksOnce) {
  const auto is_worth_it = [](Operation operation, std::uint64_t bytes) {
    return is_worth_one_copy(call_in_memory(operation, 3, bytes));
  };
  for (const auto operation : {Operation::Scatter, Operation::Allgather, Operation::Alltoall}) {
    EXPECT_FALSE(is_worth_it(operation, 16376));
    EXPECT_TRUE(is_worth_it(operation, 16384));
  }
  for (const auto operation : {Operation::Broadcast, Operation::Gather}) {
    EXPECT_FALSE(is_worth_it(operation, 65528));
    EXPECT_TRUE(is_worth_it(operation, 65536));
  }
  EXPECT_TRUE(may_copy_once(call_in_memory(Operation::Broadcast, 3, 8)));
  EXPECT_FALSE(may_copy_once(call_in_memory(Operation::Broadcast, 3, 0)));
  for (const auto operation : {Operation::Allreduce, Operation::Scan, Operation::Barrier}) {
    EXPECT_FALSE(may_copy_once(call_in_memory(operation, 3, 1 << 20)));
  }
}

}  // namespace
}  // namespace espalier::select
