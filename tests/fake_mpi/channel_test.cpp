// What executions on one channel share: flow control, how far ranks are apart, what failed.
#include <gtest/gtest.h>

#include <array>
#include <deque>

#include "fake_mpi/fake_ranks.hpp"
#include "fake_mpi/small_run.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::fake {
namespace {

using mpi::Channel;
using mpi::ChannelOptions;
using mpi::kEnvelopeBytes;

schedule::Program one_send() {
  schedule::ProgramBuilder program(0);
  program.send(1, schedule::slice(schedule::Buffer::Out, 0, 1));
  return std::move(program).build();
}
schedule::Program one_receive() {
  schedule::ProgramBuilder program(1);
  program.recv(0, schedule::slice(schedule::Buffer::Out, 0, 1));
  return std::move(program).build();
}

/// Rank 0 makes calls that send one number each, as many as it can without rank 1. Then rank 1
/// makes the same calls. @return how many rank 0 had ended alone
std::size_t run_ahead(Ranks& ranks, std::size_t calls, std::uint64_t most_held) {
  std::deque<SmallRun> here, there;
  const auto go_on = [&](int rank, std::deque<SmallRun>& runs, schedule::Program (*program)()) {
    ranks.world().me = rank;
    for (int idle = 0; idle < 10;) {
      if (!runs.empty() && !runs.back().execution.is_done()) {
        runs.back().execution.step();
        ++idle;
        continue;
      }
      if (runs.size() == calls) return;
      runs.emplace_back(ranks.channel(rank), program());
      runs.back().numbers[0] = static_cast<std::int64_t>(rank == 0 ? runs.size() : 0);
      runs.back().begin(ranks.channel(rank));
      EXPECT_LE(ranks.world().held(0, 1, kEnvelopeBytes), most_held);
      idle = 0;
    }
  };
  go_on(0, here, one_send);
  const std::size_t alone = here.size() - (here.back().execution.is_done() ? 0 : 1);
  for (std::size_t round = 0; round < 10 * calls; ++round) {
    ranks.world().deliver_all();
    go_on(1, there, one_receive);
    go_on(0, here, one_send);
  }
  EXPECT_EQ(there.size(), calls);
  for (std::size_t c = 0; c < there.size(); ++c) {
    EXPECT_TRUE(there[c].execution.is_done());
    EXPECT_EQ(there[c].numbers[0], static_cast<std::int64_t>(c + 1));
  }
  return alone;
}

TEST(Channel, ALateReceiverHoldsLittle) {
  ChannelOptions options;
  options.synchronous_after = 2000;
  Ranks ranks(2, options, 100);
  const std::size_t alone =
      run_ahead(ranks, 30, mpi::most_left(1, options.synchronous_after, 8 + kEnvelopeBytes));
  EXPECT_EQ(alone, 7U);  // the eighth is synchronous
}

/// The sixth message is to be synchronous, which is the second one of the second call. It would be
/// the first of that call, whose receiver takes no other here.
TEST(Channel, TheFirstMessageOfACallIsSynchronousIfOneOfThemHasToBe) {
  constexpr std::size_t kMessages = 4;
  ChannelOptions options;
  options.synchronous_after = 1400;  // five messages of 8 bytes, with their envelopes
  Ranks ranks(2, options, 100);
  const auto one = schedule::slice(schedule::Buffer::Out, 0, 1);
  std::deque<SmallRun> runs;
  for (const int rank : {0, 0, 1, 1}) {
    schedule::ProgramBuilder program(static_cast<Rank>(rank));
    const bool is_last = runs.size() == 3;
    for (std::size_t m = 0; m < (is_last ? 1 : kMessages); ++m) {
      if (rank == 0) program.send(1, one);
      if (rank == 1) program.recv(0, one);
    }
    runs.emplace_back(ranks.channel(rank), std::move(program).build());
  }
  const auto go_on = [&](int rank, SmallRun& run) {
    ranks.world().me = rank;
    run.begin(ranks.channel(rank));
    for (int i = 0; i < 10; ++i) {
      ranks.world().deliver_all();
      run.execution.step();
    }
  };
  go_on(0, runs[0]);
  EXPECT_TRUE(runs[0].execution.is_done());
  go_on(0, runs[1]);
  EXPECT_FALSE(runs[1].execution.is_done());
  go_on(1, runs[2]);
  go_on(1, runs[3]);
  ranks.world().me = 0;
  for (int i = 0; i < 10; ++i) {
    ranks.world().deliver_all();
    runs[1].execution.step();
  }
  EXPECT_TRUE(runs[1].execution.is_done());
}

/// Messages of 100 bytes to rank 1, over a link that carries so much in a round trip.
/// @return how many of them leave before one waits for its receiver
std::size_t messages_at_once(const ChannelOptions& options, std::uint64_t fills,
                             std::uint64_t& held_back) {
  Ranks ranks(2, options, 0);
  Channel& channel = ranks.channel(0);
  std::size_t messages = 0;
  while (!channel.count_unconfirmed(1, 0, 100, false, fills)) ++messages;
  held_back = channel.counts().held_back;
  return messages;
}

TEST(Channel, ALinkThatCarriesMoreInARoundTripIsKeptBusyWithinTheMemory) {
  constexpr std::uint64_t kOne = 100 + kEnvelopeBytes;
  ChannelOptions options;
  options.synchronous_after = 10 * kOne;
  options.most_synchronous_after = 50 * kOne;
  std::uint64_t held_back = 0;
  EXPECT_EQ(messages_at_once(options, 0, held_back), 10U);
  EXPECT_EQ(messages_at_once(options, 5 * kOne, held_back), 10U);
  EXPECT_EQ(messages_at_once(options, 40 * kOne, held_back), 40U);
  EXPECT_EQ(held_back, 0U);
  EXPECT_EQ(messages_at_once(options, 70 * kOne, held_back), 50U);
  EXPECT_EQ(held_back, 70 * kOne);
  // Bytes of calls that do not know the link count as all others.
  Ranks ranks(2, options, 0);
  EXPECT_FALSE(ranks.channel(0).count_unconfirmed(1, 0, 30 * kOne, false, 40 * kOne));
  EXPECT_FALSE(ranks.channel(0).count_unconfirmed(1, 1, 8));
  options.most_synchronous_after = 3 * kOne;  // never less than without the link
  EXPECT_EQ(messages_at_once(options, 70 * kOne, held_back), 10U);
  options.most_synchronous_after = 3 * kOne;
  EXPECT_EQ(messages_at_once(options, 9 * kOne, held_back), 10U);
  EXPECT_EQ(held_back, 0U);  // nothing was held back
}

/// Tags tell 64 calls apart here, so nobody is 32 calls ahead.
TEST(Channel, NobodyIsFurtherAheadThanTagsTell) {
  ASSERT_EQ(kTags.calls_apart(), 64U);
  Ranks ranks(2, {}, 100);
  EXPECT_EQ(run_ahead(ranks, 200, ~std::uint64_t{0}), 32U);
}

/// Whatever its place in a round: before calls that might take its messages for their own, and all
/// ranks learn it at the same call.
TEST(Channel, TellsAllRanksOfAFailureInTime) {
  for (std::uint64_t failing = 0; failing < 48; ++failing) {
    Ranks ranks(2, {}, 100);
    std::uint64_t number = 0;
    for (; number <= failing + 64; ++number) {
      std::array<bool, 2> knows{};
      for (const int rank : {0, 1}) {
        ranks.world().me = rank;
        ASSERT_TRUE(ranks.channel(rank).may_begin(number));
        knows[static_cast<std::size_t>(rank)] = ranks.channel(rank).has_failed_somewhere();
      }
      EXPECT_EQ(knows[0], knows[1]) << failing << " " << number;
      if (knows[0]) break;
      for (const int rank : {0, 1}) {
        ranks.world().me = rank;
        EXPECT_EQ(ranks.channel(rank).take_number(), number);
        if (rank == 0 && number == failing) ranks.channel(rank).note_failure();
      }
    }
    EXPECT_GT(number, failing);
    EXPECT_LE(number, failing + 32);
  }
}

}  // namespace
}  // namespace espalier::fake
