#include "profile/recording.hpp"

#include <gtest/gtest.h>

#include <map>

#include "profile/json.hpp"
#include "profile/rounds.hpp"
#include "support/for_all_seeds.hpp"

namespace espalier::profile {
namespace {

using schedule::Operation;
using Packed = std::vector<std::vector<std::uint64_t>>;

std::uint64_t messages(const std::vector<Pair>& pairs) {
  std::uint64_t sum = 0;
  for (const Pair& pair : pairs) sum += pair.messages;
  return sum;
}

TEST(Recording, KeepsComputationBeforeWhatFollowsIt) {
  Recording one(0, 2), other(1, 2);
  for (int i = 0; i < 10; ++i) {
    one.compute(microseconds(3));
    one.send(1, 8);
    other.recv(0, 8);
  }
  one.compute(microseconds(5));
  one.spend_in_mpi(microseconds(7));
  one.spend_in_mpi(microseconds(2), /*in_collective=*/true);
  one.run_for(microseconds(44));
  const auto joined = join("it", Packed{one.pack(), other.pack()});
  ASSERT_TRUE(joined);
  const std::vector<Action>& actions = joined->profile.processes[0].actions;
  ASSERT_EQ(actions.size(), 4U);  // a loop of a computation and a send, and the rest
  EXPECT_EQ(actions[0].times, 10U);
  EXPECT_EQ(actions[1].takes, microseconds(3));
  EXPECT_EQ(actions[3].takes, microseconds(5));
  EXPECT_EQ(joined->profile.processes[0].in_mpi, microseconds(9));
  EXPECT_EQ(joined->profile.processes[0].in_collectives, microseconds(2));
  EXPECT_EQ(joined->profile.processes[0].ran, microseconds(44));
  EXPECT_EQ(joined->profile.pairs, (std::vector<Pair>{{0, 1, 10, 80}}));
}

TEST(Recording, NumbersCommunicatorsByTheirMembers) {
  Recording one(0, 3), other(2, 3);
  const std::vector<Rank> far{2, 0};
  EXPECT_EQ(one.communicator({0, 1, 2}), 0U);
  (void)one.communicator({0});
  one.collective(Operation::Broadcast, 4, 2, one.communicator(far));
  other.collective(Operation::Broadcast, 4, 2, other.communicator(far));
  const auto joined = join("it", Packed{one.pack(), Recording(1, 3).pack(), other.pack()});
  ASSERT_TRUE(joined);
  const Profile& profile = joined->profile;
  const Action& a = profile.processes[0].actions[0];
  EXPECT_EQ(profile.communicators[a.communicator], far);
  EXPECT_EQ(profile.processes[2].actions[0].communicator, a.communicator);
  EXPECT_EQ(profile.executed, (std::vector<Pair>{{2, 0, 1, 4}}));
}

/// Means below and above the length up to which alltoall goes by Bruck's algorithm.
TEST(Recording, OfUnequalBlocksHasAReceiveForEverySend) {
  constexpr Rank kSize = 64;
  Packed packed;
  for (Rank me = 0; me < kSize; ++me) {
    Recording recording(me, kSize);
    const std::uint64_t sum = std::uint64_t{kSize} * (me % 3 == 0 ? 200 : 400);
    recording.collective(Operation::Alltoall, mean_block_of_alltoall(sum, kSize), 0, 0);
    packed.push_back(recording.pack());
  }
  const auto joined = join("it", packed);
  ASSERT_TRUE(joined);
  std::map<std::pair<Rank, Rank>, int> left;  // sends without a receive
  for (Rank me = 0; me < kSize; ++me) {
    const std::vector<Action>& actions = joined->profile.processes[me].actions;
    ASSERT_EQ(actions.size(), 1U);
    for_each_message(
        joined->profile, actions[0], me, [&](bool is_send, Rank peer, std::uint64_t /*bytes*/) {
          left[is_send ? std::pair(me, peer) : std::pair(peer, me)] += is_send ? 1 : -1;
        });
  }
  EXPECT_EQ(left.size(), std::size_t{kSize} * (kSize - 1));
  for (const auto& [channel, count] : left) {
    EXPECT_EQ(count, 0) << channel.first << " to " << channel.second;
  }
}

TEST(Recording, WithoutRoomForItsTraceStillCounts) {
  Random rng(1);
  Recording one(0, 2, /*most_items=*/50), other(1, 2);
  for (int i = 0; i < 1000; ++i) {
    one.send(1, rng.below(1000));
    one.collective(Operation::Barrier, 0, 0, 0);
    other.collective(Operation::Barrier, 0, 0, 0);
  }
  const auto joined = join("it", Packed{one.pack(), other.pack()});
  ASSERT_TRUE(joined);
  EXPECT_EQ(joined->cut_traces, 1U);
  EXPECT_FALSE(joined->profile.has_trace());
  EXPECT_EQ(messages(joined->profile.pairs), 1000U);
  EXPECT_EQ(messages(joined->profile.executed), 2000U);
}

TEST(Recording, CutCountsWhatItDroppedAndIsShort) {
  const auto record = [](Recording& recording) {
    const std::uint32_t pair = recording.communicator({2, 0});
    for (std::uint64_t i = 0; i < 40; ++i) {
      recording.collective(Operation::Allreduce, 8 * i, 0, 0);
      recording.collective(Operation::Broadcast, i, 2, pair);
      recording.collective(Operation::Barrier, 0, 0, 0);
      recording.collective(Operation::Barrier, 0, 0, 0);
    }
  };
  Recording whole(0, 3), cut(0, 3);
  record(whole);
  record(cut);
  cut.cut();
  cut.cut();
  record(whole);
  record(cut);
  EXPECT_TRUE(cut.is_cut());
  EXPECT_EQ(cut.items(), 0U);
  EXPECT_LT(cut.pack().size(), 40U);
  const auto join_with_others = [](const Recording& one) {
    return join("it", Packed{one.pack(), Recording(1, 3).pack(), Recording(2, 3).pack()});
  };
  const auto kept = join_with_others(whole), dropped = join_with_others(cut);
  ASSERT_TRUE(kept);
  ASSERT_TRUE(dropped);
  EXPECT_EQ(kept->profile.executed, dropped->profile.executed);
  EXPECT_FALSE(dropped->profile.has_trace());
}

TEST(Recording, RefusesWhatIsNotWhole) {
  Recording one(0, 1);
  one.send(0, 1);
  Packed packed{one.pack()};
  ASSERT_TRUE(join("it", packed));
  for (std::size_t length = 0; length < packed[0].size(); ++length) {
    EXPECT_FALSE(
        join("it", Packed{{packed[0].begin(), packed[0].begin() + static_cast<long>(length)}}));
  }
  packed[0].push_back(0);
  EXPECT_FALSE(join("it", packed));
}

TEST(RecordingProperty, CountsEveryMessageAndCanBeReadAgain) {
  for_all_seeds(100, [](Random& rng) {
    const auto size = static_cast<Rank>(1 + rng.below(5));
    std::map<std::pair<Rank, Rank>, std::pair<std::uint64_t, std::uint64_t>> wanted;
    Packed packed;
    for (Rank me = 0; me < size; ++me) {
      Recording recording(me, size);
      for (std::uint64_t left = rng.below(200); left > 0; --left) {
        const auto peer = static_cast<Rank>(rng.below(size));
        const std::uint64_t bytes = 8 * rng.below(3);
        recording.compute(nanoseconds(static_cast<std::int64_t>(rng.below(100))));
        if (rng.chance(50)) {
          recording.recv(peer, bytes);
          continue;
        }
        recording.send(peer, bytes);
        auto& [count, sum] = wanted[{me, peer}];
        ++count;
        sum += bytes;
      }
      packed.push_back(recording.pack());
    }
    const auto joined = join("it", packed);
    ASSERT_TRUE(joined);
    ASSERT_EQ(joined->profile.pairs.size(), wanted.size());
    for (const Pair& pair : joined->profile.pairs) {
      EXPECT_EQ(wanted.at({pair.from, pair.to}), std::pair(pair.messages, pair.bytes));
    }
    const auto again = read_json(write_json(joined->profile), "it");
    ASSERT_TRUE(again) << to_string(again.error());
    EXPECT_EQ(*again, joined->profile);
  });
}

}  // namespace
}  // namespace espalier::profile
