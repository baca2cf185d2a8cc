#include "select/segments.hpp"

#include <gtest/gtest.h>

#include "collective/algorithm.hpp"

namespace espalier::select {
namespace {

using schedule::Collective;
using schedule::Operation;

constexpr std::uint64_t kKiB = 1024;

Plan chain_of(std::uint64_t segment) {
  return {collective::find_algorithm(Operation::Broadcast, "chain"),
          collective::LevelChoice{collective::Shape::Chain, segment}};
}

const Collective kCall{Operation::Broadcast, 8, 0, 1024 * kKiB, Bytes{1}, true, {}};

std::optional<Time> unknown(const Plan& /*plan*/) { return std::nullopt; }

TEST(UsableSegments, AreLongerAsLongAsThatCostsLittle) {
  // 16 KiB take 3 % more than 4 KiB, and 8 KiB nothing.
  const TimeOfPlan time_of = [](const Plan& plan) {
    return std::optional(first_segment(plan) > 8 * kKiB ? microseconds(1030) : microseconds(1000));
  };
  const Plan start = chain_of(4 * kKiB);
  EXPECT_EQ(with_usable_segments(start, kCall, {}, time_of, unknown), chain_of(8 * kKiB));
  EXPECT_EQ(with_usable_segments(start, kCall, {}, unknown, time_of), chain_of(8 * kKiB));
}

// The budget of simulations may end between two of them. Predictions may be far below.
TEST(UsableSegments, AreNotJudgedByASimulatedTimeBesideAPredictedOne) {
  const TimeOfPlan simulated = [](const Plan& plan) {
    return first_segment(plan) == 4 * kKiB ? std::optional(microseconds(9000)) : std::nullopt;
  };
  const TimeOfPlan predicted = [](const Plan& plan) {
    return std::optional(microseconds(static_cast<std::int64_t>(first_segment(plan) / 4)));
  };
  const Plan start = chain_of(4 * kKiB);
  EXPECT_EQ(with_usable_segments(start, kCall, {}, simulated, predicted), start);
}

TEST(UsableSegments, StayAsTheyAreWhereNothingIsKnown) {
  const Plan start = chain_of(4 * kKiB);
  EXPECT_EQ(with_usable_segments(start, kCall, {}, unknown, unknown), start);
}

}  // namespace
}  // namespace espalier::select
