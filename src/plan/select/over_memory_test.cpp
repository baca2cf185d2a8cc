#include "select/over_memory.hpp"

#include <gtest/gtest.h>

#include "topology/readers.hpp"
#include "topology/views.hpp"

namespace espalier::select {
namespace {

using schedule::Collective;
using schedule::Operation;

topology::Machine machine_of(const char* text) { return *topology::parse_synthetic(text); }

Collective call_over(Operation operation, Rank size, Rank root, std::uint64_t bytes) {
  return {operation, size, root, bytes / 8, Bytes{8}, true, {}};
}

/// What is chosen for leaders of this root.
std::optional<OverMemory> chosen(const topology::Machine& machine, const Collective& call) {
  const Nodes nodes(machine);
  const topology::Machine leaders = topology::restrict_machine(machine, nodes.leaders(call.root));
  const collective::Hierarchy hierarchy(leaders);
  Chooser chooser(hierarchy);
  return choose_over_memory(chooser, nodes, call);
}

TEST(NodesOfAMachine, AreWhatMemoryJoins) {
  const Nodes nodes(machine_of("node:3(20us) proc:2|1|3(1us,name=memory)"));
  EXPECT_EQ(nodes.count(), 3U);
  EXPECT_EQ(nodes.largest(), 3U);
  EXPECT_TRUE(nodes.are_several());
  EXPECT_EQ(nodes.ranks_of(0), (std::vector<Rank>{0, 1}));
  EXPECT_EQ(nodes.ranks_of(1), (std::vector<Rank>{2}));
  EXPECT_EQ(nodes.ranks_of(2), (std::vector<Rank>{3, 4, 5}));
}

TEST(NodesOfAMachine, AreCountedByTheirLowestRanks) {
  const Nodes nodes(machine_of("node:2(20us) proc:3(1us,name=memory) placement=cyclic"));
  EXPECT_EQ(nodes.ranks_of(0), (std::vector<Rank>{0, 2, 4}));
  EXPECT_EQ(nodes.ranks_of(1), (std::vector<Rank>{1, 3, 5}));
}

TEST(NodesOfAMachine, HaveLevelsOfMemoryInside) {
  const Nodes nodes(machine_of("node:2(20us) socket:2(1us,name=memory) proc:2(300ns,name=memory)"));
  EXPECT_EQ(nodes.count(), 2U);
  EXPECT_EQ(nodes.largest(), 4U);
}

TEST(NodesOfAMachine, AreNotSeveralWithoutMemoryToShare) {
  EXPECT_FALSE(Nodes(machine_of("node:2(20us) proc:3(1us)")).are_several());
  EXPECT_FALSE(Nodes(machine_of("node:3(20us) proc:1(1us,name=memory)")).are_several());
  EXPECT_FALSE(Nodes(machine_of("proc:4(1us,name=memory)")).are_several());
  EXPECT_FALSE(Nodes(machine_of("node:2(20us) proc:129(1us,name=memory)")).are_several());
}

TEST(NodesOfAMachine, AreLedByTheRootOrTheLowestRank) {
  const Nodes nodes(machine_of("node:3(20us) proc:2|1|3(1us,name=memory)"));
  EXPECT_EQ(nodes.leaders(0), (std::vector<Rank>{0, 2, 3}));
  EXPECT_EQ(nodes.leaders(1), (std::vector<Rank>{1, 2, 3}));
  EXPECT_EQ(nodes.leaders(5), (std::vector<Rank>{0, 2, 5}));
  const Collective call = call_over(Operation::Broadcast, 6, 5, 800);
  const Collective part = call_of_leaders(call, nodes.leaders(5), 40);
  EXPECT_EQ(part.size, 3U);
  EXPECT_EQ(part.root, 2U);
  EXPECT_EQ(part.count, 40U);
}

TEST(OverMemoryOfNodes, ServesWhatCommutes) {
  Collective call = call_over(Operation::Allreduce, 6, 0, 800);
  EXPECT_TRUE(may_go_over_memory(call));
  call.commutative = false;
  EXPECT_FALSE(may_go_over_memory(call));
  call.commutative = true;
  call.element = Bytes{kLongestSharedPiece + 1};
  EXPECT_FALSE(may_go_over_memory(call));
  EXPECT_TRUE(may_go_over_memory(call_over(Operation::Barrier, 6, 0, 0)));
  EXPECT_FALSE(may_go_over_memory(call_over(Operation::Allgather, 6, 0, 800)));
}

TEST(OverMemoryOfNodes, CutsLongMessagesOverNearLinksAlone) {
  const auto near = machine_of("node:2(5us,10Gbit/s) proc:8(1us,name=memory)");
  const auto far = machine_of("node:2(30ms,1Gbit/s) proc:8(1us,name=memory)");
  constexpr std::uint64_t kBytes = 8 << 20;
  const Collective call = call_over(Operation::Allreduce, 16, 0, kBytes);
  ASSERT_TRUE(chosen(near, call));
  EXPECT_LT(chosen(near, call)->piece, kBytes / 8);
  ASSERT_TRUE(chosen(far, call));
  EXPECT_EQ(chosen(far, call)->piece, kBytes / 8);
  const auto short_one = chosen(near, call_over(Operation::Allreduce, 16, 0, 8));
  ASSERT_TRUE(short_one);
  EXPECT_EQ(short_one->piece, 1U);
  EXPECT_TRUE(short_one->name().ends_with(" over shared memory"));
}

TEST(OverMemoryOfNodes, IsPredictedBelowMessagesInLargeNodes) {
  const auto machine = machine_of("node:4(20us,10Gbit/s) proc:16(1us,name=memory)");
  const collective::Hierarchy hierarchy(machine);
  Chooser chooser(hierarchy);
  for (const Operation operation : {Operation::Broadcast, Operation::Allreduce}) {
    const Collective call = call_over(operation, 64, 0, 1024);
    const auto over = chosen(machine, call);
    ASSERT_TRUE(over);
    EXPECT_LT(over->predicted, *chooser.choose(call, WhichPlan::Best).predicted);
  }
}

}  // namespace
}  // namespace espalier::select
