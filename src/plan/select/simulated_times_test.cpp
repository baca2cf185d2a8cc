#include "select/simulated_times.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "select/chooser.hpp"
#include "select/ranking.hpp"
#include "topology/readers.hpp"

namespace espalier::select {
namespace {

using collective::Hierarchy;
using schedule::Collective;
using schedule::Operation;

/// What a choice is worth at most.
constexpr std::uint64_t kChoice = 1U << 14U;

Collective alltoall_of(Rank ranks) {
  return {Operation::Alltoall, ranks, 0, 1'000'000, Bytes{1}, true, {}};
}

/// 120 ranks send 14,280 messages all at once: fewer than a choice is worth, and yet 100 times the
/// work.
TEST(SimulatedTimes, EndWhereTooManyMessagesShareLinksAtOnce) {
  const auto machine = *topology::parse_synthetic("proc:120(1us,1Gbit/s,send=1us)");
  const Hierarchy hierarchy(machine);
  const Collective call = alltoall_of(120);
  const Plan direct = *plan_named("direct", hierarchy, call);
  SimulatedTimes times(hierarchy, call, 4 * kChoice);
  ASSERT_LE(times.messages_of(direct), kChoice);
  EXPECT_FALSE(times.of(direct).has_value());
  EXPECT_EQ(times.refusal(), SimulatedTimes::Refusal::Sharing);
  // The messages and half of the budget at most: others have their turn.
  EXPECT_GE(times.left(), kChoice);
  EXPECT_TRUE(times.of(*plan_named("pairwise", hierarchy, call)).has_value());
}

TEST(SimulatedTimes, EndWhereThereAreTooManyMessages) {
  const auto machine = *topology::parse_synthetic("proc:12(1us,1Gbit/s,send=1us)");
  const Hierarchy hierarchy(machine);
  const Collective call = alltoall_of(12);
  SimulatedTimes times(hierarchy, call, 12 * 11 - 1);
  EXPECT_FALSE(times.of(*plan_named("direct", hierarchy, call)).has_value());
  EXPECT_EQ(times.refusal(), SimulatedTimes::Refusal::Messages);
  EXPECT_EQ(times.left(), 12U * 11 - 1);
}

TEST(SimulatedTimes, AreThoseOfTheWholeSimulation) {
  const auto machine = *topology::parse_synthetic("proc:12(1us,1Gbit/s,send=1us)");
  const Hierarchy hierarchy(machine);
  const Collective call = alltoall_of(12);
  const Plan direct = *plan_named("direct", hierarchy, call);
  SimulatedTimes times(hierarchy, call, kChoice);
  EXPECT_EQ(times.of(direct), simulated_time(direct, hierarchy, call, {}));
}

TEST(SimulatedTimes, LeaveTheOrderOfPlansIfTheFirstIsTooMuchWork) {
  const auto machine = *topology::parse_synthetic("proc:120(1us,1Gbit/s,send=1us)");
  const Hierarchy hierarchy(machine);
  const Collective call = alltoall_of(120);
  std::vector<Choice> ranked = ranking(hierarchy, CostView(machine), call);
  std::stable_partition(ranked.begin(), ranked.end(), [&](const Choice& choice) {
    return name_of(choice.plan, call) == "direct";
  });
  SimulatedTimes times(hierarchy, call, kChoice);
  SimulatedTimes reserve(hierarchy, call, kChoice);
  EXPECT_EQ(settled_by_simulation(ranked, times, reserve), ranked);
  const SimulationBudget budget{{}, 8, kChoice};
  EXPECT_EQ(ranked_by_simulation(ranked, hierarchy, call, budget), ranked);
}

}  // namespace
}  // namespace espalier::select
