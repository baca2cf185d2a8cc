#include "runtime/counted_calls.hpp"

#include <gtest/gtest.h>

#include "select/counted_runs.hpp"
#include "topology/readers.hpp"

namespace espalier::runtime {
namespace {

using schedule::Operation;

SharedCall allgatherv(std::vector<std::uint64_t> counts) {
  return {Operation::Allgather, 0, 0, 1, true, true, std::move(counts)};
}

TEST(CountedCalls, AreDueFromTheCallOnThatPaysForPlanning) {
  const auto machine = *topology::parse_synthetic("site:2(10ms,100Mbit/s) proc:4(50us,1Gbit/s)");
  const SharedCall call = allgatherv({1, 2, 3, 4, 5, 6, 7, 100'000});
  const auto from = select::planned_from(machine, collective_of(call, 8));
  ASSERT_TRUE(from);
  ASSERT_GT(*from, 1U);
  CountedCalls calls;
  for (std::uint64_t number = 1; number < *from + 3; ++number) {
    calls.note(call, machine);
    EXPECT_EQ(calls.are_due(call), number >= *from) << number;
  }
  EXPECT_FALSE(calls.are_due(allgatherv({1, 2, 3, 4, 5, 6, 7, 100'001})));
}

TEST(CountedCalls, LongerCallsAreDueEarlier) {
  const auto machine = *topology::parse_synthetic("site:2(10ms,100Mbit/s) proc:4(50us,1Gbit/s)");
  const auto from = [&](std::uint64_t longest) {
    return *select::planned_from(machine,
                                 collective_of(allgatherv({1, 2, 3, 4, 5, 6, 7, longest}), 8));
  };
  EXPECT_LT(from(100'000'000), from(1000));
  EXPECT_EQ(from(100'000'000), 1U);
}

TEST(CountedCalls, ForgetAllWhenThereAreTooMany) {
  const auto machine = *topology::parse_synthetic("site:2(10ms,1Mbit/s) proc:4(50us,1Mbit/s)");
  const SharedCall first = allgatherv({1, 2, 3, 4, 5, 6, 7, 100'000'000});
  CountedCalls calls;
  calls.note(first, machine);
  EXPECT_TRUE(calls.are_due(first));
  for (std::uint64_t other = 0; other < CountedCalls::kMost; ++other) {
    calls.note(allgatherv({other, 2, 3, 4, 5, 6, 7, 8}), machine);
  }
  EXPECT_FALSE(calls.are_due(first));
}

}  // namespace
}  // namespace espalier::runtime
