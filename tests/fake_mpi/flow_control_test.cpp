// What a late receiver holds at most, on a fake MPI: elements, blocks and roles mixed, in any order
// of events, one call after the other and several under way.
#include <gtest/gtest.h>

#include <algorithm>

#include "fake_mpi/fake_ranks.hpp"
#include "fake_mpi/fake_roles.hpp"
#include "support/for_all_seeds.hpp"
#include "support/multilevel_cases.hpp"

namespace espalier::fake {
namespace {

using mpi::ChannelOptions;
using mpi::kEnvelopeBytes;

/// Whose calls are made.
struct Load {
  std::size_t at_once = 1;  ///< calls of a rank that may be under way
  std::size_t calls = 4;
  std::uint64_t most_elements = 12;
  bool has_roles_alone = false;  ///< trees that only the root knows, and no others
};

std::unique_ptr<AnyCall> some_call_of(const collective::Hierarchy& hierarchy, const Load& load,
                                      Random& rng) {
  const std::uint64_t kind = rng.below(load.has_roles_alone ? 50 : 100);
  if (kind < 30) {
    const std::uint64_t longest = rng.chance(30) ? 520 + rng.below(400) : 0;
    return std::make_unique<FakeScatterv>(
        random_scatterv(hierarchy.machine().size(), rng, load.most_elements, longest));
  }
  if (kind < 50) {
    return std::make_unique<AnnouncedGather>(random_announced(hierarchy, rng, load.most_elements));
  }
  return std::make_unique<FakeCall>(kind < 65 ? random_blocks(hierarchy, rng, load.most_elements)
                                              : random_call(hierarchy, rng, load.most_elements));
}

/// The two ends of what a channel promises.
struct Bounds {
  std::uint64_t held = 0;     ///< bytes that a receiver holds, messages that stay not among them
  std::uint64_t counted = 0;  ///< bytes that the sender counts, with those
};

Bounds bounds_of(const CallsOfAll& calls, const Load& load, const ChannelOptions& options,
                 std::size_t eager) {
  std::uint64_t leaves = 0, whole = 0, numbers = 1;  // of the longest message
  for (const auto& call : calls) {
    const std::uint64_t bytes = call->longest_message();
    const std::uint64_t parts = 2 + bytes / options.max_piece_bytes;
    leaves = std::max(leaves, std::min(bytes, parts * eager) + parts * kEnvelopeBytes);
    whole = std::max(whole, bytes + parts * kEnvelopeBytes);
    numbers = std::max(numbers, call->numbers());
  }
  const std::uint64_t at_once = load.at_once * numbers;
  return {mpi::most_left(at_once, options.synchronous_after, leaves),
          mpi::most_left(at_once, options.synchronous_after, whole)};
}

/// Runs random calls in a random order of events. Some ranks sleep for long stretches.
void run_in_any_order(Random& rng, const Load& load) {
  const topology::Machine machine = testing_support::some_machine(rng, 7);
  const collective::Hierarchy hierarchy(machine);
  const int size = static_cast<int>(machine.size());
  ChannelOptions options;
  options.window = 1 + static_cast<std::uint32_t>(rng.below(5));
  options.synchronous_after = rng.chance(30) ? 1U << 20U : rng.below(2000);
  options.max_piece_bytes = rng.chance(30) ? 16 : mpi::kMaxPieceBytes;
  const std::size_t eager = rng.below(100);
  CallsOfAll calls;
  for (std::size_t c = 0; c < load.calls; ++c) calls.push_back(some_call_of(hierarchy, load, rng));
  Ranks ranks(size, options, eager);
  World& world = ranks.world();
  const Bounds most = bounds_of(calls, load, options, eager);
  std::uint64_t asleep_until = 0;
  int asleep = 0;
  std::uint64_t events = 0;
  const auto all_done = [&] {
    for (int r = 0; r < size; ++r) {
      if (ranks.begun(r) < calls.size() || ranks.open(r) > 0) return false;
    }
    return true;
  };
  while (!all_done()) {
    ASSERT_LT(++events, 3'000'000U) << "it hangs:" << ranks.states(calls);
    const auto wires = world.on_the_wire();
    if (!wires.empty() && rng.chance(40)) {
      const auto [from, to] = wires[rng.below(wires.size())];
      world.deliver(from, to);
      ASSERT_LE(world.held(from, to, kEnvelopeBytes), most.held);
      continue;
    }
    if (rng.chance(1)) {
      asleep = static_cast<int>(rng.below(static_cast<std::uint64_t>(size)));
      asleep_until = events + rng.below(3000);
    }
    const int rank = static_cast<int>(rng.below(static_cast<std::uint64_t>(size)));
    if (rank == asleep && events < asleep_until) continue;
    if (ranks.begun(rank) < calls.size() && ranks.open(rank) < load.at_once && rng.chance(30)) {
      ranks.begin(rank, calls);
    } else {
      ranks.step_any(rank, rng);
    }
  }
  for (int r = 0; r < size; ++r) {
    for (std::size_t c = 0; c < calls.size(); ++c) {
      ASSERT_EQ(ranks.run(r, c).code(), MPI_SUCCESS) << calls[c]->name();
      ASSERT_EQ(calls[c]->wrong(static_cast<Rank>(r)), "") << calls[c]->name();
    }
    ASSERT_LE(ranks.channel(r).counts().most_unconfirmed, most.counted);
  }
  ASSERT_EQ(world.on_the_wire().size() + world.unexpected() + world.posted(), 0U);
}

TEST(FlowControlProperty, OneCallAfterTheOtherEndsRightAndHoldsLittle) {
  for_all_seeds(250, [](Random& rng) { run_in_any_order(rng, {1, 4, 12}); });
}

TEST(FlowControlProperty, SeveralCallsUnderWayEndRightAndHoldLittle) {
  for_all_seeds(250, [](Random& rng) { run_in_any_order(rng, {2 + rng.below(4), 8, 8}); });
}

TEST(FlowControlProperty, CallsWithRolesEndRightAndHoldLittle) {
  for_all_seeds(150, [](Random& rng) { run_in_any_order(rng, {1, 8, 12, true}); });
  for_all_seeds(150, [](Random& rng) { run_in_any_order(rng, {2 + rng.below(3), 8, 8, true}); });
}

/// Rank 0 counts messages of 100 bytes for rank 1, which confirms what it is asked to.
TEST(Channel, CountsWhatIsNotConfirmedAtItsMost) {
  constexpr std::uint64_t kOne = 100 + kEnvelopeBytes;
  ChannelOptions options;
  options.synchronous_after = 3 * kOne;
  Ranks ranks(2, options, 0);
  mpi::Channel& channel = ranks.channel(0);
  EXPECT_EQ(channel.counts().most_unconfirmed, 0U);
  for (int message = 0; message < 3; ++message) {
    EXPECT_FALSE(channel.count_unconfirmed(1, 0, 100));
  }
  EXPECT_EQ(channel.counts().most_unconfirmed, 3 * kOne);
  EXPECT_TRUE(channel.count_unconfirmed(1, 0, 100));
  EXPECT_FALSE(channel.count_unconfirmed(1, 0, 100));
  EXPECT_EQ(channel.counts().most_unconfirmed, 5 * kOne);
  channel.confirm(1, 0);  // four of them: one is left
  for (int message = 0; message < 3; ++message) channel.count_unconfirmed(1, 1, 100);
  EXPECT_EQ(channel.counts().most_unconfirmed, 5 * kOne);
  EXPECT_FALSE(channel.count_unconfirmed(0, 1, 100)) << "each receiver has its own";
  EXPECT_EQ(channel.counts().most_unconfirmed, 5 * kOne);
  EXPECT_LE(channel.counts().most_unconfirmed, mpi::most_left(1, options.synchronous_after, kOne));
}

}  // namespace
}  // namespace espalier::fake
