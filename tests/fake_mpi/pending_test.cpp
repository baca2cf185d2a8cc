// Calls that do not block, on a fake MPI: more of them than tags tell apart, in any order of
// events.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>

#include "fake_mpi/fake_calls.hpp"
#include "fake_mpi/fake_mpi.hpp"
#include "mpi/late_agreement.hpp"
#include "mpi/pending_calls.hpp"
#include "schedule/program_builder.hpp"
#include "support/for_all_seeds.hpp"
#include "support/multilevel_cases.hpp"
#include "topology/readers.hpp"

namespace espalier::fake {
namespace {

using mpi::Channel;
using mpi::PendingCalls;

constexpr runtime::Tags kFewTags(32767);  // tell 64 calls apart

/// All ranks with their channels and pending calls.
struct PendingRanks {
  PendingRanks(int size, const mpi::ChannelOptions& options, std::size_t eager)
      : world(size, eager) {
    for (int r = 0; r < size; ++r) {
      channels.push_back(std::make_unique<Channel>(MPI_COMM_WORLD, r, size, kFewTags, options));
      pending.push_back(std::make_unique<PendingCalls>(*channels.back()));
    }
    started.resize(static_cast<std::size_t>(size));
    ended.resize(static_cast<std::size_t>(size));
    failed.resize(static_cast<std::size_t>(size));
  }
  void step_all() {
    world.deliver_all();
    for (std::size_t rank = 0; rank < pending.size(); ++rank) {
      world.me = static_cast<int>(rank);
      pending[rank]->step(100);
    }
  }
  void look(std::size_t rank) {
    world.me = static_cast<int>(rank);
    pending[rank]->look_for_mismatch();
  }
  void start(std::size_t rank, FakeCall& call, std::uint64_t signature = 5) {
    world.me = static_cast<int>(rank);
    auto made = call.pending(*channels[rank], signature);
    made->ended = [this, rank](int code) {
      if (code != MPI_SUCCESS) ++failed[rank];
      ++ended[rank];
    };
    pending[rank]->start(std::move(made));
    ++started[rank];
  }
  World world;
  std::vector<std::unique_ptr<Channel>> channels;
  std::vector<std::unique_ptr<PendingCalls>> pending;
  std::vector<std::size_t> started, ended;
  std::vector<std::size_t> failed;  // of those that have ended
};

/// Messages arrive and ranks go on in any order, until all have ended so many calls.
/// @param start starts a rank's next call
template <typename Start>
void run_to_the_end(PendingRanks& ranks, Random& rng, std::size_t calls, Start start) {
  // A rank that is ahead starts all its calls before others start their first.
  const unsigned eager_starts = rng.chance(50) ? 60 : 5;
  const auto all_ended = [&] {
    return std::all_of(ranks.ended.begin(), ranks.ended.end(),
                       [&](std::size_t n) { return n == calls; });
  };
  std::uint64_t events = 0;
  while (!all_ended()) {
    ASSERT_LT(++events, 3'000'000U) << "it hangs";
    const auto wires = ranks.world.on_the_wire();
    if (!wires.empty() && rng.chance(40)) {
      const auto [from, to] = wires[rng.below(wires.size())];
      ranks.world.deliver(from, to);
      continue;
    }
    const std::size_t rank = rng.below(ranks.pending.size());
    ranks.world.me = static_cast<int>(rank);
    if (ranks.started[rank] < calls && rng.chance(eager_starts)) {
      start(rank);
    } else {
      ranks.pending[rank]->step(1 + rng.below(4));
    }
    // Whoever looks at any moment finds nothing: all ranks make the same calls.
    if (rng.chance(5)) ranks.look(rank);
  }
  EXPECT_EQ(ranks.failed, std::vector<std::size_t>(ranks.failed.size(), 0));
}

TEST(PendingCallsProperty, MoreCallsThanTagsTellApartEndRightInAnyOrder) {
  for_all_seeds(8, [](Random& rng) {
    const topology::Machine machine = testing_support::some_machine(rng, 5);
    const collective::Hierarchy hierarchy(machine);
    const auto size = static_cast<std::size_t>(machine.size());
    std::deque<FakeCall> calls;
    for (int c = 0; c < 200; ++c) {
      calls.push_back(rng.chance(20) ? random_blocks(hierarchy, rng, 3)
                                     : random_call(hierarchy, rng, 3));
    }
    mpi::ChannelOptions options;
    options.synchronous_after = rng.chance(50) ? 1U << 20U : rng.below(2000);
    PendingRanks ranks(static_cast<int>(size), options, rng.below(100));
    run_to_the_end(ranks, rng, calls.size(),
                   [&](std::size_t rank) { ranks.start(rank, calls[ranks.started[rank]]); });
    if (testing::Test::HasFailure()) return;
    for (const FakeCall& call : calls) {
      for (Rank r = 0; r < machine.size(); ++r) ASSERT_EQ(call.wrong(r), "") << call.name();
    }
    for (const auto& pending : ranks.pending) ASSERT_TRUE(pending->is_idle());
    ASSERT_EQ(ranks.world.on_the_wire().size() + ranks.world.unexpected() + ranks.world.posted(),
              0U);
  });
}

/// The announcement of a gatherv's tree begins before the gatherv, whose number is the one below.
/// Where calls may be pending nobody else goes on with it, so the gatherv must not wait for it.
TEST(PendingCalls, ACallWithALowerNumberThanOneUnderWayMayBegin) {
  Random rng(1);
  const topology::Machine machine = *topology::parse_synthetic("node:2(1us) proc:1(1us)");
  const collective::Hierarchy hierarchy(machine);
  PendingRanks ranks(2, {}, 100);
  FakeCall call = random_call(hierarchy, rng, 3);
  Channel& channel = *ranks.channels[0];
  const auto announced = call.pending(channel);
  announced->execution.begin(announced->plan->prepared, *announced->payload, 1,
                             announced->plan->signature);
  ASSERT_FALSE(announced->execution.is_done());
  EXPECT_TRUE(channel.may_begin(0));
  EXPECT_TRUE(channel.may_begin(2));
  EXPECT_FALSE(channel.may_begin(1 + 32)) << "half of what tags tell apart";
  channel.remove(announced->execution);
}

/// The others have not begun: half of what tags tell apart is on the wire, the rest waits here.
TEST(PendingCalls, StartingManyPutsHalfOfWhatTagsTellApartOnTheWire) {
  Random rng(1);
  const topology::Machine machine = *topology::parse_synthetic("node:2(1us) proc:1(1us)");
  const collective::Hierarchy hierarchy(machine);
  PendingRanks ranks(2, {}, 100);
  std::deque<FakeCall> calls;
  for (int c = 0; c < 100; ++c) {
    calls.push_back(random_call(hierarchy, rng, 3));
    ranks.start(0, calls.back());
  }
  EXPECT_FALSE(ranks.pending[0]->may_block());
  EXPECT_EQ(ranks.channels[0]->calls(), 100U);
  for (FakeCall& call : calls) ranks.start(1, call);
  for (int i = 0; i < 100'000 && !(ranks.pending[0]->is_idle() && ranks.pending[1]->is_idle());
       ++i) {
    ranks.world.deliver_all();
    for (const std::size_t rank : {0U, 1U}) {
      ranks.world.me = static_cast<int>(rank);
      ranks.pending[rank]->step(100);
    }
  }
  EXPECT_EQ(ranks.ended[0], 100U);
  EXPECT_EQ(ranks.ended[1], 100U);
  EXPECT_EQ(ranks.failed[0] + ranks.failed[1], 0U);
}

/// Ranks agree between starts, at any of them: whoever is ahead or behind, all get the same
/// numbers, though allreduces of the channel itself (Channel::keep_pace) stand between them.
TEST(PendingCallsProperty, AgreementsBetweenStartsMeetInAnyOrderOfEvents) {
  for_all_seeds(8, [](Random& rng) {
    const topology::Machine machine = testing_support::some_machine(rng, 4);
    const collective::Hierarchy hierarchy(machine);
    const auto size = static_cast<std::size_t>(machine.size());
    std::deque<FakeCall> calls;
    for (int c = 0; c < 150; ++c) calls.push_back(random_call(hierarchy, rng, 3));
    PendingRanks ranks(static_cast<int>(size), {}, rng.below(100));
    std::vector<std::deque<mpi::LateAgreement>> agreements(size);
    const std::uint64_t apart = 1 + rng.below(20);
    const auto start = [&](std::size_t rank) {
      const std::size_t number = ranks.started[rank];
      ranks.world.me = static_cast<int>(rank);
      if (number % apart == 0) {
        ranks.pending[rank]->do_in_order([&agreements, rank, number] {
          const std::array<double, 2> mine{static_cast<double>(number), static_cast<double>(rank)};
          agreements[rank].emplace_back(MPI_COMM_WORLD).start(mine);
        });
      }
      ranks.start(rank, calls[number]);
    };
    run_to_the_end(ranks, rng, calls.size(), start);
    if (testing::Test::HasFailure()) return;
    for (std::size_t rank = 0; rank < size; ++rank) {
      ranks.world.me = static_cast<int>(rank);
      ASSERT_EQ(agreements[rank].size(), (calls.size() + apart - 1) / apart);
      for (std::size_t i = 0; i < agreements[rank].size(); ++i) {
        ASSERT_TRUE(agreements[rank][i].is_there());
        const std::vector<double> largest{static_cast<double>(i * apart),
                                          static_cast<double>(size - 1)};
        ASSERT_EQ(agreements[rank][i].finish(), largest);
      }
    }
  });
}

/// A rank that is far ahead waits with what stands between its starts, and then all happens in
/// order.
TEST(PendingCalls, WhatStandsBetweenStartsWaitsForThoseBefore) {
  Random rng(1);
  const topology::Machine machine = *topology::parse_synthetic("node:2(1us) proc:1(1us)");
  const collective::Hierarchy hierarchy(machine);
  PendingRanks ranks(2, {}, 100);
  std::deque<FakeCall> calls;
  bool has_happened = false;
  for (int c = 0; c < 40; ++c) {
    calls.push_back(random_call(hierarchy, rng, 3));
    ranks.start(0, calls.back());
  }
  ranks.pending[0]->do_in_order([&] { has_happened = true; });
  EXPECT_FALSE(has_happened);
  EXPECT_FALSE(ranks.pending[0]->may_block());
  for (FakeCall& call : calls) ranks.start(1, call);
  ranks.world.me = 1;
  ranks.pending[1]->do_in_order([] {});
  for (int i = 0; i < 100'000 && !(ranks.pending[0]->is_idle() && ranks.pending[1]->is_idle());
       ++i) {
    ranks.world.deliver_all();
    for (const std::size_t rank : {0U, 1U}) {
      ranks.world.me = static_cast<int>(rank);
      ranks.pending[rank]->step(100);
    }
  }
  EXPECT_TRUE(has_happened);
}

/// From each rank to the next, the first one has the data.
FakeCall chain(Rank size, std::uint64_t numbers, Random& rng) {
  schedule::Collective call;
  call.operation = schedule::Operation::Broadcast;
  call.size = size;
  call.count = numbers;
  call.element = Bytes{8};
  std::vector<schedule::Program> programs;
  const auto all = schedule::slice(schedule::Buffer::Out, 0, numbers);
  for (Rank r = 0; r < size; ++r) {
    schedule::ProgramBuilder program(r);
    if (r > 0) program.recv(r - 1, all);
    if (r + 1 < size) program.send(r + 1, all);
    programs.push_back(std::move(program).build());
  }
  return FakeCall(std::move(call), std::move(programs), rng);
}

/// Rank 0 makes another call than the others. Rank 1 sees that; rank 2, which waits for rank 1, is
/// told, and so is rank 0, whose message needs a handshake.
TEST(PendingCalls, DifferentCallsOfRanksEndInAnErrorOnAllThatWait) {
  for (const bool shakes_hands : {false, true}) {
    Random rng(1);
    PendingRanks ranks(3, {}, shakes_hands ? 8 : 100);
    FakeCall call = chain(3, 2, rng);
    for (const std::size_t rank : {0U, 1U, 2U}) ranks.start(rank, call, rank == 0 ? 5 : 6);
    for (int i = 0; i < 100; ++i) ranks.step_all();
    EXPECT_EQ(ranks.ended, (std::vector<std::size_t>{shakes_hands ? 0U : 1U, 0, 0}));
    for (const std::size_t rank : {2U, 1U, 0U}) ranks.look(rank);
    ranks.step_all();
    EXPECT_EQ(ranks.failed, (std::vector<std::size_t>{0, 1, 0}));
    ranks.step_all();
    for (const std::size_t rank : {2U, 1U, 0U}) ranks.look(rank);
    ranks.step_all();
    EXPECT_EQ(ranks.failed, (std::vector<std::size_t>{shakes_hands ? 1U : 0U, 1, 1}));
    EXPECT_TRUE(ranks.world.on_the_wire().empty()) << "whoever was told tells nobody";
    for (const auto& pending : ranks.pending) EXPECT_TRUE(pending->is_idle());
  }
}

/// Messages of a later call stand before those that tell, and later calls go on.
TEST(PendingCalls, AMismatchIsFoundBesideLaterCalls) {
  Random rng(1);
  PendingRanks ranks(3, {}, 100);
  FakeCall wrong = chain(3, 2, rng), right = chain(3, 1, rng);
  ranks.start(0, wrong, 5);
  ranks.start(1, wrong, 6);
  ranks.start(2, wrong, 6);
  for (const std::size_t rank : {0U, 1U, 2U}) ranks.start(rank, right);
  for (int i = 0; i < 10; ++i) {
    ranks.step_all();
    for (const std::size_t rank : {0U, 1U, 2U}) ranks.look(rank);
  }
  EXPECT_EQ(ranks.failed, (std::vector<std::size_t>{0, 1, 1}));
  EXPECT_EQ(ranks.ended, (std::vector<std::size_t>{2, 2, 2}));
  EXPECT_EQ(right.wrong(2), "");
}

/// A rank whose arguments are wrong runs no part of the call, and the others hear of it.
TEST(PendingCalls, WhoeverSkipsACallTellsTheOthers) {
  Random rng(1);
  PendingRanks ranks(3, {}, 100);
  FakeCall call = chain(3, 2, rng), next = chain(3, 2, rng);
  ranks.world.me = 0;
  ranks.pending[0]->start(nullptr);
  for (const std::size_t rank : {1U, 2U}) ranks.start(rank, call);
  for (const std::size_t rank : {0U, 1U, 2U}) ranks.start(rank, next);
  for (int i = 0; i < 10; ++i) {
    ranks.step_all();
    for (const std::size_t rank : {0U, 1U, 2U}) ranks.look(rank);
  }
  EXPECT_EQ(ranks.failed, (std::vector<std::size_t>{0, 1, 1}));
  EXPECT_EQ(ranks.ended, (std::vector<std::size_t>{1, 2, 2}));
  EXPECT_EQ(next.wrong(2), "");
}

}  // namespace
}  // namespace espalier::fake
