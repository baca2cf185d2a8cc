// All collectives with threads as processes, each with buffers of its own and the segment between
// them. The same program is run under ThreadSanitizer.
#include "shared/member.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "shared/fold.hpp"

namespace espalier::shared {
namespace {

struct Setting {
  std::uint32_t members;
  std::uint32_t slots;
  std::uint64_t slot_bytes;
  std::uint32_t cells = 1;
};

/// Runs one function a member at once, again and again on the same segment.
void with_members(const Setting& setting,
                  const std::function<void(Member<DirectAccess>&, std::uint32_t)>& run) {
  const Geometry geometry{setting.members, setting.slots, setting.slot_bytes, setting.cells};
  std::vector<std::uint64_t> memory(geometry.bytes() / sizeof(std::uint64_t));
  auto* const at = reinterpret_cast<std::byte*>(memory.data());
  auto* const sleepers = reinterpret_cast<std::uint32_t*>(at + kLine);
  std::vector<std::thread> threads;
  for (std::uint32_t r = 0; r < setting.members; ++r) {
    threads.emplace_back([&, r] {
      Member member(at, geometry, r, DirectAccess(sleepers, true));
      run(member, r);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

std::vector<std::int64_t> numbers(std::uint64_t count, std::int64_t first) {
  std::vector<std::int64_t> all(count);
  for (std::uint64_t i = 0; i < count; ++i) all[i] = first * 1000 + static_cast<std::int64_t>(i);
  return all;
}
std::byte* at(std::vector<std::int64_t>& all) { return reinterpret_cast<std::byte*>(all.data()); }

class Members : public ::testing::TestWithParam<Setting> {};

// 1 and 14 elements travel beside the flag, 15 do not; 2,000 are more than all slots hold.
constexpr std::uint64_t kCounts[]{0, 1, 2, 14, 15, 300, 2000};

TEST_P(Members, MoveBlocks) {
  with_members(GetParam(), [](Member<DirectAccess>& member, std::uint32_t rank) {
    const std::uint32_t size = member.geometry().members;
    for (const std::uint64_t count : kCounts) {
      const std::uint64_t bytes = count * 8;
      for (std::uint32_t root = 0; root < size; ++root) {
        auto data = numbers(count, rank == root ? 7 : 0);
        ASSERT_TRUE(member.broadcast(count, root, at(data), bytes));
        ASSERT_EQ(data, numbers(count, 7));
        auto in = numbers(count, rank);
        std::vector<std::int64_t> out(rank == root ? count * size : 0);
        ASSERT_TRUE(member.gather(count, root, at(in), at(out), bytes));
        for (std::uint64_t i = 0; i < out.size(); ++i) {
          ASSERT_EQ(out[i], static_cast<std::int64_t>(i / count * 1000 + i % count));
        }
        auto back = numbers(count, -1);
        ASSERT_TRUE(member.scatter(count, root, at(out), at(back), bytes));
        ASSERT_EQ(back, in);
      }
      auto in = numbers(count * size, rank);
      std::vector<std::int64_t> out(count * size);
      ASSERT_TRUE(member.alltoall(count, at(in), at(out), bytes));
      for (std::uint64_t i = 0; i < out.size(); ++i) {
        ASSERT_EQ(out[i], static_cast<std::int64_t>(i / count * 1000 + rank * count + i % count));
      }
      ASSERT_TRUE(member.allgather(count, at(in), at(out), bytes));
      for (std::uint64_t i = 0; i < out.size(); ++i) {
        ASSERT_EQ(out[i], static_cast<std::int64_t>(i / count * 1000 + i % count));
      }
      auto own = numbers(count * size, rank);
      ASSERT_TRUE(member.alltoall(count, at(own), at(own), bytes)) << "in place";
      for (std::uint64_t i = 0; i < own.size(); ++i) {
        ASSERT_EQ(own[i], static_cast<std::int64_t>(i / count * 1000 + rank * count + i % count));
      }
      ASSERT_TRUE(member.barrier(count));
    }
  });
}

TEST_P(Members, Reduce) {
  with_members(GetParam(), [](Member<DirectAccess>& member, std::uint32_t rank) {
    const std::uint32_t size = member.geometry().members;
    const Combine& sum = *combine_of(Kind::Int64, Arithmetic::Sum);
    const auto sum_of = [](std::uint32_t ranks, std::uint64_t i) {
      return static_cast<std::int64_t>(ranks * (ranks - 1) / 2 * 1000 + ranks * i);
    };
    for (const std::uint64_t count : kCounts) {
      const std::uint64_t bytes = count * 8;
      auto in = numbers(count, rank);
      std::vector<std::int64_t> out(count);
      ASSERT_TRUE(member.allreduce(count, at(in), at(out), bytes, 8, sum));
      for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(out[i], sum_of(size, i));
      out = in;
      ASSERT_TRUE(member.allreduce(count, at(out), at(out), bytes, 8, sum)) << "in place";
      for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(out[i], sum_of(size, i));
      for (std::uint32_t root = 0; root < size; ++root) {
        std::vector<std::int64_t> result(rank == root ? count : 0);
        ASSERT_TRUE(member.reduce(count, root, at(in), at(result), bytes, 8, sum));
        for (std::uint64_t i = 0; i < result.size(); ++i) ASSERT_EQ(result[i], sum_of(size, i));
      }
      ASSERT_TRUE(member.scan(count, at(in), at(out), bytes, 8, sum, false));
      for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(out[i], sum_of(rank + 1, i));
      out.assign(count, -5);
      ASSERT_TRUE(member.scan(count, at(in), at(out), bytes, 8, sum, true));
      for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(out[i], rank == 0 ? -5 : sum_of(rank, i));
      auto blocks = numbers(count * size, rank);
      ASSERT_TRUE(member.reduce_scatter(count, at(blocks), at(out), bytes, 8, sum));
      for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(out[i], sum_of(size, rank * count + i));
    }
  });
}

TEST_P(Members, TellCallsThatDiffer) {
  with_members(GetParam(), [](Member<DirectAccess>& member, std::uint32_t rank) {
    EXPECT_FALSE(member.barrier(rank));
    EXPECT_TRUE(member.barrier(5));
  });
}

TEST(Member, TakesNoEarlierCallForThisOne) {
  with_members({2, 8, 32768, 8}, [](Member<DirectAccess>& member, std::uint32_t rank) {
    // The root writes three pieces, the other reads two: it is one step behind from then on.
    std::vector<std::int64_t> data(1025, -1);
    EXPECT_EQ(member.broadcast(1 + rank, 0, at(data), rank == 0 ? 8200 : 8192), rank == 0);
    for (std::int64_t call = 0; call < 3; ++call) {
      if (rank == 0) data.assign(50, call);
      EXPECT_EQ(member.broadcast(3, 0, at(data), 400), rank == 0) << call;
    }
  });
}

TEST_P(Members, HearOfABroadcastThatItsRootRefuses) {
  with_members(GetParam(), [](Member<DirectAccess>& member, std::uint32_t rank) {
    for (const std::uint64_t bytes : {8U, 4000U, 16000U}) {
      auto data = numbers(2000, 7);
      if (rank == 1) {
        member.refuse(9, member.steps_of(bytes, false), true);
      } else {
        EXPECT_FALSE(member.broadcast(1, 1, at(data), bytes)) << bytes;
      }
      EXPECT_TRUE(member.barrier(1)) << "in step";
    }
  });
}

TEST_P(Members, StayInStepWithOneThatLeavesACallOfAnyKind) {
  with_members(GetParam(), [](Member<DirectAccess>& member, std::uint32_t rank) {
    const std::uint32_t size = member.geometry().members;
    const Combine& sum = *combine_of(Kind::Int64, Arithmetic::Sum);
    auto in = numbers(2000 * size, rank);
    std::vector<std::int64_t> out(2000 * size);
    const auto call = [&](std::uint64_t steps, const auto& of_others, bool is_right = false) {
      if (rank == 1) {
        member.refuse(9, steps, true);
      } else {
        EXPECT_EQ(of_others(), is_right);
      }
      EXPECT_TRUE(member.barrier(1)) << "in step";
    };
    for (const std::uint64_t bytes : {8U, 4000U, 16000U}) {
      call(member.steps_of(bytes, false),
           [&] { return member.allgather(1, at(in), at(out), bytes); });
      call(member.steps_of(bytes, true),
           [&] { return member.alltoall(1, at(in), at(out), bytes); });
      call(
          member.steps_of(bytes, false),
          [&] { return member.gather(1, 0, at(in), at(out), bytes); }, rank != 0);
      call(member.steps_of_reduce(bytes, 8),
           [&] { return member.allreduce(1, at(in), at(out), bytes, 8, sum); });
      call(member.steps_of(bytes, true, Copies::Two, 8),
           [&] { return member.reduce_scatter(1, at(in), at(out), bytes, 8, sum); });
      call(
          member.steps_of(bytes, false, Copies::Two, 8),
          [&] { return member.scan(1, at(in), at(out), bytes, 8, sum, false); }, rank == 0);
    }
  });
}

/// Nobody has left the steps that it would wait for.
TEST(Member, RefusesWithoutWaitingIfItSawAnotherCall) {
  with_members({2, 2, 256}, [](Member<DirectAccess>& member, std::uint32_t rank) {
    if (rank == 0) return;
    for (int i = 0; i < 100; ++i) member.refuse(9, 1, false);
  });
}

struct NoCombine : Combine {
  void fold(std::span<const std::byte* const>, std::byte*, std::uint64_t) const override {
    ADD_FAILURE() << "elements of different calls are combined";
  }
};

TEST(Member, WaitsForNobodyOnceItHasSeenAnotherCall) {
  // The last member has twice as many pieces as the others: nobody will ever write the second half.
  // Three members reduce in slices, two do not.
  for (const std::uint32_t members : {2U, 3U}) {
    const auto with_last_longer = [&](const auto& call) {
      with_members({members, 8, 32768, 8}, [&](Member<DirectAccess>& member, std::uint32_t rank) {
        const std::uint64_t bytes = rank + 1 == members ? 16000 : 8000;
        auto in = numbers(2000 * members, rank);
        std::vector<std::int64_t> out(2000 * members);
        const bool is_as_expected = call(member, rank, at(in), at(out), bytes);
        EXPECT_TRUE(is_as_expected) << members << " members, member " << rank;
      });
    };
    const NoCombine none;
    const std::uint32_t last = members - 1;
    with_last_longer(
        [&](auto& member, std::uint32_t rank, std::byte* in, std::byte*, std::uint64_t bytes) {
          return member.broadcast(bytes, 0, in, bytes) == (rank != last);
        });
    with_last_longer(
        [&](auto& member, std::uint32_t rank, std::byte* in, std::byte* out, std::uint64_t bytes) {
          const bool is_right = member.reduce(bytes, 0, in, out, bytes, 8, none);
          // Without slices only the root looks at the others.
          return rank == 0 || members > 2 ? !is_right : is_right;
        });
    with_last_longer(
        [&](auto& member, std::uint32_t, std::byte* in, std::byte* out, std::uint64_t bytes) {
          return !member.allreduce(bytes, in, out, bytes, 8, none);
        });
    with_last_longer([&](auto& member, std::uint32_t, std::byte* in, std::byte* out,
                         std::uint64_t bytes) { return !member.allgather(bytes, in, out, bytes); });
    with_last_longer(
        [&](auto& member, std::uint32_t, std::byte* in, std::byte* out, std::uint64_t bytes) {
          return !member.reduce_scatter(bytes, in, out, bytes, 8, none);
        });
  }
}

TEST(Member, CountsNoCallsWithoutSteps) {
  with_members({2, 2, 256}, [](Member<DirectAccess>& member, std::uint32_t rank) {
    auto one = numbers(1, rank);
    for (int i = 0; i < 3; ++i) {
      if (rank == 0) {
        ASSERT_TRUE(member.broadcast(0, 0, at(one), 0));
        member.skip(0);
      }
      ASSERT_TRUE(member.broadcast(1, 0, at(one), 8));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(All, Members,
                         ::testing::Values(Setting{2, 8, 4096}, Setting{2, 2, 256},
                                           Setting{3, 8, 4096}, Setting{3, 4, 8192},
                                           Setting{5, 2, 5120}, Setting{2, 8, 32768, 8},
                                           Setting{3, 4, 8192, 8}, Setting{4, 2, 4096, 2}));

TEST(Member, GoesOnWithoutSlowReaders) {
  with_members({2, 4, 256}, [](Member<DirectAccess>& member, std::uint32_t rank) {
    auto one = numbers(1, rank);
    for (int i = 0; i < 4; ++i) {  // the root fills its slots before anybody reads
      if (rank == 0) {
        ASSERT_TRUE(member.broadcast(0, 0, at(one), 8));
      }
    }
    if (rank == 0) return;
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(member.broadcast(0, 0, at(one), 8));
    EXPECT_EQ(one, numbers(1, 0));
  });
}

TEST(Member, SkipsACallThatOthersDo) {
  with_members({2, 2, 256}, [](Member<DirectAccess>& member, std::uint32_t rank) {
    auto one = numbers(100, rank);
    std::vector<std::int64_t> all(200);
    for (int i = 0; i < 10; ++i) {
      if (rank == 0) {
        member.skip(member.steps_of(800, false));
      } else {
        ASSERT_TRUE(member.gather(0, 0, at(one), at(all), 800));
      }
      ASSERT_TRUE(member.barrier(1));
    }
  });
}

}  // namespace
}  // namespace espalier::shared
