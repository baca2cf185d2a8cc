#include "sim/simulate_within.hpp"

#include <gtest/gtest.h>

#include "support/plans.hpp"
#include "topology/readers.hpp"

namespace espalier::sim {
namespace {

using schedule::Buffer;
using schedule::Operation;
using schedule::ProgramBuilder;
using schedule::Schedule;
using schedule::slice;

constexpr std::uint64_t kBlock = 1'000'000;

/// Everybody sends a block to everybody, as fast as its processor can: all share links at once.
Schedule all_at_once(Rank ranks) {
  return plans::make(Operation::Alltoall, ranks, kBlock, "at once", [&](ProgramBuilder& b) {
    for (Rank step = 1; step < ranks; ++step) {
      const Rank from = (b.rank() + ranks - step) % ranks;
      b.recv(from, slice(Buffer::Out, from * kBlock, kBlock), 0);
    }
    for (Rank step = 1; step < ranks; ++step) {
      const Rank to = (b.rank() + step) % ranks;
      b.send(to, slice(Buffer::In, to * kBlock, kBlock), 0);
    }
  });
}

topology::Machine flat_machine(Rank ranks) {
  return *topology::parse_synthetic("proc:" + std::to_string(ranks) + "(1us,1Gbit/s,send=1us)");
}

/// What a simulation takes of a budget, in messages.
std::uint64_t work_of(Rank ranks) {
  const Budget whole = Budget::unlimited();
  Budget budget = whole;
  EXPECT_TRUE(simulate_within(budget, all_at_once(ranks), flat_machine(ranks)).has_value());
  return whole.left() - budget.left();
}

TEST(Budget, TakesNoMessagesIfThereAreTooFew) {
  Budget budget(10);
  EXPECT_TRUE(budget.take_messages(4));
  EXPECT_FALSE(budget.take_messages(7));
  EXPECT_EQ(budget.left(), 6U);
  EXPECT_TRUE(budget.take_messages(6));
}

TEST(Budget, IsUsedUpByLooksThatItHadNot) {
  Budget budget(2);
  EXPECT_TRUE(budget.take_looks(2 * Budget::kLooksAMessage));
  EXPECT_FALSE(budget.take_looks(1));
  EXPECT_EQ(budget.left(), 0U);
}

TEST(Budget, GetsBackWhatIsLeftOfAPart) {
  Budget budget(10);
  Budget part = budget.part(4);
  EXPECT_EQ(budget.left(), 6U);
  EXPECT_FALSE(part.take_messages(5));
  EXPECT_TRUE(part.take_messages(3));
  budget.give_back(part);
  EXPECT_EQ(budget.left(), 7U);
  EXPECT_EQ(budget.part(100).left(), 7U);
}

TEST(Budget, HoldsAnyNumberOfMessages) {
  Budget budget = Budget::unlimited();
  EXPECT_TRUE(budget.take_messages(std::uint64_t{1} << 50U));
}

TEST(SimulateWithin, SaysTheSameAsWithoutABudget) {
  Budget budget(std::uint64_t{1} << 20U);
  EXPECT_EQ(simulate_within(budget, all_at_once(12), flat_machine(12)),
            simulate(all_at_once(12), flat_machine(12)));
}

/// Four times the messages, each of which changes the rates of four times as many others.
TEST(SimulateWithin, CountsMessagesThatShareLinksAtOnce) {
  EXPECT_GT(work_of(40), 8 * work_of(20));
  EXPECT_EQ(work_of(40), work_of(40));
}

TEST(SimulateWithin, StopsWhenTheBudgetIsUsedUp) {
  Budget enough(work_of(30) + 1);
  EXPECT_TRUE(simulate_within(enough, all_at_once(30), flat_machine(30)).has_value());
  Budget too_little(work_of(30) - 1);
  EXPECT_FALSE(simulate_within(too_little, all_at_once(30), flat_machine(30)).has_value());
  EXPECT_EQ(too_little.left(), 0U);
}

/// Rates are not worked out there.
TEST(SimulateWithin, TakesNothingWhereLinksServeOneAfterTheOther) {
  SimOptions options;
  options.sharing = Sharing::OneBottleneck;
  Budget budget(0);
  EXPECT_TRUE(simulate_within(budget, all_at_once(30), flat_machine(30), options).has_value());
}

TEST(SimulateWithin, FallsBackToOneBottleneckAndSaysSo) {
  SimOptions options;
  (void)simulate_as_exactly_as(Budget::unlimited(), all_at_once(30), flat_machine(30), options);
  EXPECT_EQ(options.sharing, Sharing::ExactMaxMin);
  const SimResult rough =
      simulate_as_exactly_as(Budget(10), all_at_once(30), flat_machine(30), options);
  EXPECT_EQ(options.sharing, Sharing::OneBottleneck);
  EXPECT_EQ(rough, simulate(all_at_once(30), flat_machine(30), options));
}

}  // namespace
}  // namespace espalier::sim
