#include <gtest/gtest.h>

#include "base/units.hpp"
#include "measure/measured.hpp"
#include "topology/load_machine.hpp"

namespace espalier::measure {
namespace {

using schedule::Operation;

topology::Machine grid(const std::string& processes) {
  const std::string text = "site:2(10ms,100Mbit/s) machine:1|2(250us,1Gbit/s) proc:" + processes;
  return topology::load_machine(text).value().machine;
}

double milliseconds_of(const topology::Machine& machine, Operation operation, Bytes size) {
  return to_microseconds(wire_bound(machine, {operation, size, 0, {}})) / 1e3;
}

TEST(WireBound, CountsHeadersOnTheNarrowestLink) {
  const topology::Machine m = grid("4");
  EXPECT_NEAR(milliseconds_of(m, Operation::Broadcast, Bytes{8}), 10.0, 0.01);
  // 8.39 Mbit at 94.1 Mbit/s after 10 ms
  EXPECT_NEAR(milliseconds_of(m, Operation::Broadcast, Bytes{1 << 20}), 99.1, 0.1);
  EXPECT_NEAR(milliseconds_of(m, Operation::Reduce, Bytes{128 << 10}), 21.1, 0.1);
}

TEST(WireBound, OfEveryRootIsTheMeanAndOfSomeRanksThatOfTheirMachine) {
  const topology::Machine m = grid("4(send=1us)");
  Time sum;
  for (Rank r = 0; r < 12; ++r) sum += wire_bound(m, {Operation::Broadcast, Bytes{8}, r, {}});
  const Time mean = wire_bound(m, {Operation::Broadcast, Bytes{8}, kEveryRoot, {}});
  EXPECT_EQ(mean.picoseconds, sum.picoseconds / 12);
  // Ranks 4 to 11 share a site: no wide-area network among them.
  const Time near = wire_bound(m, {Operation::Broadcast, Bytes{8}, 9, {4, 9}});
  EXPECT_LT(near, microseconds(300));
  EXPECT_GE(near, microseconds(250));
}

TEST(WireBound, LeavesThemOutWhereBytesCostProcesses) {
  const topology::Machine m = grid("4(reduce=100GB/s)");
  EXPECT_NEAR(milliseconds_of(m, Operation::Broadcast, Bytes{1 << 20}), 93.9, 0.1);
}

}  // namespace
}  // namespace espalier::measure
