#include "topology/usual_figures.hpp"

#include <gtest/gtest.h>

#include "topology/readers.hpp"
#include "topology/writers.hpp"

namespace espalier::topology {
namespace {

AssumedMachine assumed(const char* line) { return with_usual_figures(*parse_synthetic(line)); }

TEST(UsualFigures, AreThoseOfAnOrdinaryCluster) {
  const AssumedMachine found = assumed("node:2 proc:4");
  EXPECT_EQ(found.machine.path(0, 1).latency, nanoseconds(500));
  EXPECT_EQ(found.machine.path(0, 1).bandwidth, bits_per_second(40'000'000'000));
  EXPECT_EQ(found.machine.path(0, 4).latency, microseconds(50));
  EXPECT_EQ(found.machine.path(0, 4).bandwidth, bits_per_second(10'000'000'000));
  EXPECT_EQ(found.note,
            "it has no latencies and no bandwidths; those of an ordinary cluster are assumed: "
            "node 50 us and 10 Gbit/s, proc 500 ns and 40 Gbit/s");
}

TEST(UsualFigures, DoubleWithEachLevelFurtherOut) {
  const Machine machine = assumed("rack:2 node:2 socket:2 core:2").machine;
  EXPECT_EQ(machine.path(0, 1).latency, nanoseconds(500));
  EXPECT_EQ(machine.path(0, 2).latency, microseconds(1));
  EXPECT_EQ(machine.path(0, 4).latency, microseconds(50));
  EXPECT_EQ(machine.path(0, 8).latency, microseconds(100));
}

TEST(UsualFigures, TakeMembersOfOneLevelForNodesUnlessTheyAreProcesses) {
  EXPECT_EQ(assumed("host:4").machine.path(0, 1).latency, microseconds(50));
  EXPECT_EQ(assumed("proc:4").machine.path(0, 1).latency, nanoseconds(500));
}

TEST(UsualFigures, KnowWhatIsInsideOfNodesByHwlocsNamesToo) {
  const Machine machine = assumed("node:2 Package:2 PU:2").machine;
  EXPECT_EQ(machine.path(0, 1).latency, nanoseconds(500));
  EXPECT_EQ(machine.path(0, 2).latency, microseconds(1));
  EXPECT_EQ(machine.path(0, 4).latency, microseconds(50));
  EXPECT_EQ(assumed("PROC:4").machine.path(0, 1).latency, nanoseconds(500));
}

TEST(UsualFigures, LeaveAMachineAloneThatHasLatencies) {
  for (const char* line : {"node:2(1us) proc:4(1ns)", "node:2(1us) proc:4(send=1us)",
                           "node:2 proc:4(hop=1us)", "node:1 proc:4(1us)"}) {
    const AssumedMachine found = assumed(line);
    EXPECT_EQ(found.note, "") << line;
    EXPECT_EQ(found.machine, *parse_synthetic(line));
  }
}

TEST(UsualFigures, FillTheLevelsThatHaveNoLatencyBesideOthersThatHave) {
  const AssumedMachine found = assumed("site:2(30ms,1Gbit/s) node:2 proc:4");
  EXPECT_EQ(found.machine.path(0, 1).latency, nanoseconds(500));
  EXPECT_EQ(found.machine.path(0, 4).latency, microseconds(50));
  EXPECT_EQ(found.machine.path(0, 8).latency, milliseconds(30));
  EXPECT_EQ(found.machine.path(0, 1).bandwidth, bits_per_second(40'000'000'000));
  EXPECT_EQ(found.machine.path(0, 4).bandwidth, bits_per_second(10'000'000'000));
  EXPECT_EQ(found.machine.path(0, 8).bandwidth, bits_per_second(1'000'000'000));
  EXPECT_EQ(found.note,
            "some levels have no latency; those of an ordinary cluster are assumed: node 50 us "
            "and 10 Gbit/s, proc 500 ns and 40 Gbit/s");
  EXPECT_TRUE(assumed("site:2(30ms,1Gbit/s) node:2(1Gbit/s) proc:4")
                  .note.ends_with("node 50 us, proc 500 ns and 40 Gbit/s"));
  EXPECT_EQ(assumed("node:2(1us) proc:4").note,
            "a level has no latency; that of an ordinary cluster is assumed: proc 500 ns "
            "and 40 Gbit/s");
  EXPECT_EQ(assumed("node:2(hop=1us) proc:4").machine.path(0, 1).latency, nanoseconds(500));
}

TEST(UsualFigures, LieBetweenTheLatenciesAroundThem) {
  EXPECT_EQ(assumed("node:2(100ns) proc:4").machine.path(0, 1).latency, nanoseconds(100));
  EXPECT_EQ(assumed("site:2 node:4(1ms)").machine.path(0, 4).latency, milliseconds(1));
}

// Bytes inside of a node are not free, and those that leave it are as fast as they were described.
TEST(UsualFigures, LimitFlowsInsideOfANodeAlone) {
  const Machine one = assumed("proc:4").machine;
  EXPECT_EQ(one.path(0, 1).bandwidth, bits_per_second(40'000'000'000));
  const Machine two = assumed("site:2(30ms) proc:4").machine;
  EXPECT_EQ(two.path(0, 1).bandwidth, bits_per_second(40'000'000'000));
  EXPECT_TRUE(two.path(0, 4).bandwidth.unlimited());
  EXPECT_EQ(assumed("node:2(1us) proc:4(100Gbit/s)").machine.path(0, 1).bandwidth,
            bits_per_second(100'000'000'000));
}

// Who writes 0s means it: readers take the least time that there is, so no prediction is 0 s.
TEST(UsualFigures, TakeALatencyOfZeroForGiven) {
  for (const char* line : {"node:2(50us) proc:4(0s)", "node:2(50us,1Gbit/s) proc:4(0us,10Gbit/s)",
                           "node:2(latency=0s) proc:4(0s)"}) {
    const AssumedMachine found = assumed(line);
    EXPECT_EQ(found.note, "") << line;
    EXPECT_EQ(found.machine.path(0, 1).latency, picoseconds(1)) << line;
  }
  // Levels further in are assumed to be no slower.
  const AssumedMachine inner = assumed("node:2(0s) proc:4");
  EXPECT_EQ(inner.machine.path(0, 4).latency, picoseconds(1));
  EXPECT_EQ(inner.machine.path(0, 1).latency, picoseconds(1));
  const auto read = read_json(R"({"format": "espalier-machine-1", "processes": 2,
                                  "levels": [{"members": "proc", "latency": "0s"}]})",
                              "a.json");
  ASSERT_TRUE(read);
  EXPECT_EQ(with_usual_figures(*read).note, "");
  EXPECT_EQ(*read_json(write_json(*read), "b.json"), *read);
}

// Found by the fuzzer of SimGrid's platforms: such a machine was read back as another one.
TEST(UsualFigures, LeaveALatencyOfZeroOfOneClusterAsItIs) {
  const auto read = read_json(R"({"format": "espalier-machine-1",
                                  "levels": [{"members": "node", "latency": "50us"},
                                             {"members": "proc", "latency": "1us"}],
                                  "children": [{"processes": 2, "channel": {"latency": "0s"}},
                                               {"processes": 2}]})",
                              "a.json");
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(read->path(0, 1).latency, Time{0});
  EXPECT_EQ(read->path(2, 3).latency, microseconds(1));
  EXPECT_EQ(*read_json(write_json(*read), "b.json"), *read);
}

TEST(UsualFigures, KeepTheBandwidthsThatThereAre) {
  const AssumedMachine found = assumed("node:2(1Gbit/s) proc:4");
  EXPECT_EQ(found.machine.path(0, 4).bandwidth, bits_per_second(1'000'000'000));
  EXPECT_EQ(found.machine.path(0, 4).latency, microseconds(50));
  EXPECT_EQ(found.note.find("bandwidths"), std::string::npos) << found.note;
}

}  // namespace
}  // namespace espalier::topology
