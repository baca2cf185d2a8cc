// Calls by one copy with threads as processes: a member reads another one's buffers as it would
// those of another process, or is refused that. The same program is run under ThreadSanitizer.
#include "shared/one_copy.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "shared/member.hpp"

namespace espalier::shared {
namespace {

/// What comes of reading `writer`'s memory.
using Reads = std::function<PeerRead(std::uint32_t reader, std::uint32_t writer)>;

struct ThreadAccess : DirectAccess {
  ThreadAccess(std::uint32_t* sleepers, std::uint32_t own, const Reads* of)
      : DirectAccess(sleepers, true), rank(own), reads_of(of) {}
  [[nodiscard]] PeerRead read_peer(std::uint32_t member, std::byte* to, std::uint64_t from,
                                   std::uint64_t bytes) const {
    const PeerRead read = (*reads_of)(rank, member);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): it is one
    if (read == PeerRead::Done) std::memcpy(to, reinterpret_cast<const std::byte*>(from), bytes);
    return read;
  }
  std::uint32_t rank;
  const Reads* reads_of;
};
using ThreadMember = Member<ThreadAccess>;

PeerRead all_can(std::uint32_t, std::uint32_t) { return PeerRead::Done; }

/// Runs one function a member at once, again and again on the same segment.
void with_threads(const Geometry& geometry, const Reads& reads,
                  const std::function<void(ThreadMember&, std::uint32_t)>& run) {
  std::vector<std::uint64_t> memory(geometry.bytes() / sizeof(std::uint64_t));
  auto* const begin = reinterpret_cast<std::byte*>(memory.data());
  auto* const sleepers = reinterpret_cast<std::uint32_t*>(begin + kLine);
  std::vector<std::thread> threads;
  for (std::uint32_t r = 0; r < geometry.members; ++r) {
    threads.emplace_back([&, r] {
      ThreadMember member(begin, geometry, r, ThreadAccess(sleepers, r, &reads));
      run(member, r);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

using Values = std::vector<std::int64_t>;
Values values(std::uint64_t count, std::int64_t first) {
  Values all(count);
  for (std::uint64_t i = 0; i < count; ++i) all[i] = first * 1000 + static_cast<std::int64_t>(i);
  return all;
}
std::byte* raw_of(Values& all) { return reinterpret_cast<std::byte*>(all.data()); }
/// Block b of `count` numbers is that of member b, from `first` on.
void expect_blocks(const Values& all, std::uint64_t count, std::uint64_t first = 0) {
  for (std::uint64_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(all[i], static_cast<std::int64_t>(i / count * 1000 + first + i % count));
  }
}

constexpr std::uint64_t kCountsOnce[]{0, 1, 15, 300, 2000};

/// All calls, with each root. What a member gave is overwritten as soon as its call is over.
void move_blocks(ThreadMember& member, std::uint32_t rank) {
  const std::uint32_t size = member.geometry().members;
  for (const std::uint64_t count : kCountsOnce) {
    const std::uint64_t bytes = count * 8;
    for (std::uint32_t root = 0; root < size; ++root) {
      auto data = values(count, rank == root ? 7 : 0);
      ASSERT_TRUE(member.broadcast(count, root, raw_of(data), bytes, Copies::One));
      ASSERT_EQ(data, values(count, 7));
      data.assign(count, -1);
      auto in = values(count, rank);
      Values out(rank == root ? count * size : 0);
      ASSERT_TRUE(member.gather(count, root, raw_of(in), raw_of(out), bytes, Copies::One));
      in.assign(count, -2);
      expect_blocks(out, count);
      ASSERT_TRUE(member.scatter(count, root, raw_of(out), raw_of(in), bytes, Copies::One));
      out.assign(out.size(), -3);
      ASSERT_EQ(in, values(count, rank));
      ASSERT_TRUE(member.broadcast(count, root, raw_of(in), bytes));
      in.assign(count, -4);
    }
    auto in = values(count * size, rank);
    Values out(count * size);
    ASSERT_TRUE(member.alltoall(count, raw_of(in), raw_of(out), bytes, Copies::One));
    in.assign(in.size(), -5);
    expect_blocks(out, count, rank * count);
    in = values(count, rank);
    ASSERT_TRUE(member.allgather(count, raw_of(in), raw_of(out), bytes, Copies::One));
    in.assign(in.size(), -6);
    expect_blocks(out, count);
    auto own = values(count * size, rank);
    ASSERT_TRUE(member.alltoall(count, raw_of(own), raw_of(own), bytes, Copies::One)) << "in place";
    expect_blocks(own, count, rank * count);
    own.assign(own.size(), -7);
    for (std::uint64_t i = 0; i < count; ++i) {
      own[rank * count + i] = static_cast<std::int64_t>(rank * 1000 + i);
    }
    ASSERT_TRUE(
        member.allgather(count, raw_of(own) + rank * bytes, raw_of(own), bytes, Copies::One));
    expect_blocks(own, count);
    ASSERT_TRUE(member.barrier(count));
  }
}

class OneCopies : public ::testing::TestWithParam<Geometry> {};

TEST_P(OneCopies, MoveBlocks) { with_threads(GetParam(), all_can, move_blocks); }

TEST_P(OneCopies, GoThroughSlotsWhereOneMemberIsRefused) {
  for (const bool is_reader : {false, true}) {
    const auto some_cannot = [&](std::uint32_t reader, std::uint32_t writer) {
      return (is_reader ? reader : writer) == 1 ? PeerRead::Refused : PeerRead::Done;
    };
    with_threads(GetParam(), some_cannot, move_blocks);
  }
}

TEST_P(OneCopies, GoThroughSlotsWhereAllAreRefused) {
  with_threads(
      GetParam(), [](std::uint32_t, std::uint32_t) { return PeerRead::Refused; }, move_blocks);
}

INSTANTIATE_TEST_SUITE_P(All, OneCopies,
                         ::testing::Values(Geometry{2, 8, 4096, 1}, Geometry{2, 2, 256, 1},
                                           Geometry{3, 8, 32768, 8}, Geometry{4, 2, 4096, 2},
                                           Geometry{5, 2, 5120, 1}));

TEST(OneCopy, FailsOnWhoeverFindsTheWriterGone) {
  const auto first_is_gone = [](std::uint32_t reader, std::uint32_t writer) {
    return reader == 2 && writer == 0 ? PeerRead::Gone : PeerRead::Done;
  };
  with_threads({3, 8, 32768, 8}, first_is_gone, [](ThreadMember& member, std::uint32_t rank) {
    auto data = values(9000, 0);
    EXPECT_EQ(member.broadcast(1, 0, raw_of(data), 72000, Copies::One), rank != 2);
    EXPECT_EQ(member.has_lost_member(), rank == 2);
    EXPECT_TRUE(member.broadcast(1, 1, raw_of(data), 72000, Copies::One));
    EXPECT_FALSE(member.has_lost_member());
    EXPECT_EQ(data, values(9000, 0));
    Values all(27000);
    EXPECT_EQ(member.allgather(1, raw_of(data), raw_of(all), 72000, Copies::One), rank != 2);
    EXPECT_TRUE(member.barrier(2));
  });
}

TEST(OneCopy, TellsCallsThatDiffer) {
  with_threads({2, 8, 32768, 8}, all_can, [](ThreadMember& member, std::uint32_t rank) {
    auto data = values(600, rank);
    Values all(1200);
    EXPECT_FALSE(member.allgather(1 + rank, raw_of(data), raw_of(all), 4800, Copies::One));
    EXPECT_FALSE(
        member.alltoall(3, raw_of(all), raw_of(all), 2400, rank == 0 ? Copies::One : Copies::Two));
  });
}

// A broadcast's root waits for its reader, which takes it for a gather and waits for it.
TEST(OneCopy, EndsCallsOfDifferentKinds) {
  with_threads({2, 8, 32768, 8}, all_can, [](ThreadMember& member, std::uint32_t rank) {
    auto data = values(600, rank);
    if (rank == 0) {
      EXPECT_TRUE(member.broadcast(1, 0, raw_of(data), 4800, Copies::One));
    } else {
      EXPECT_TRUE(member.gather(1, 0, raw_of(data), nullptr, 4800, Copies::One));
    }
    EXPECT_TRUE(member.barrier(5));
  });
}

TEST(OneCopy, IsSkippedLikeAnyOther) {
  with_threads({2, 2, 256, 1}, all_can, [](ThreadMember& member, std::uint32_t rank) {
    auto one = values(100, rank);
    for (int i = 0; i < 10; ++i) {
      if (rank == 0) {
        member.skip(member.steps_of(800, false, Copies::One));
      } else {
        ASSERT_TRUE(member.gather(0, 0, raw_of(one), nullptr, 800, Copies::One));
      }
      ASSERT_TRUE(member.barrier(1));
    }
  });
}

}  // namespace
}  // namespace espalier::shared
