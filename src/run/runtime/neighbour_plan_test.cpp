#include "runtime/neighbour_plan.hpp"

#include <gtest/gtest.h>

#include "runtime/named_algorithms.hpp"
#include "topology/readers.hpp"

namespace espalier::runtime {
namespace {

using schedule::Operation;

SharedCall call_of_blocks(Operation operation) { return {operation, 0, 65536, 1, true, true}; }

/// All ranks send to all others: much crosses several times.
std::shared_ptr<const schedule::NeighbourGraph> everybody_to_everybody(Rank size) {
  auto graph = std::make_shared<schedule::NeighbourGraph>();
  for (Rank r = 0; r < size; ++r) {
    std::vector<Rank> others;
    for (Rank other = 0; other < size; ++other) {
      if (other != r) others.push_back(other);
    }
    graph->sources.add(others);
    graph->destinations.add(others);
  }
  return graph;
}

TEST(NeighbourPlan, IsTriedBesideTheNativeCallIfItGains) {
  const auto machine = *topology::parse_synthetic("site:2(10ms,100Mbit/s) proc:8(1us,10Gbit/s)");
  select::NeighbourChooser chooser(machine, everybody_to_everybody(16),
                                   select::rules_for(select::NativeMpi::Mpich));
  Settings settings;
  const auto tried =
      neighbour_candidates(chooser, settings, call_of_blocks(Operation::NeighbourAllgather));
  ASSERT_EQ(tried.size(), 2U);
  EXPECT_EQ(tried[0].which, select::WhichPlan::Best);
  EXPECT_FALSE(tried[1].which.has_value());
  EXPECT_LT(tried[0].predicted, tried[1].predicted);
  settings.trial = false;
  EXPECT_EQ(
      neighbour_candidates(chooser, settings, call_of_blocks(Operation::NeighbourAllgather)).size(),
      1U);
  for (Rank rank = 0; rank < machine.size(); ++rank) {
    const CachedPlan plan =
        make_neighbour_plan(chooser, machine, call_of_blocks(Operation::NeighbourAllgather), rank);
    EXPECT_TRUE(plan.planned);
    EXPECT_EQ(plan.name, tried[0].name);
    EXPECT_FALSE(plan.prepared.messages.empty());
  }
}

TEST(NeighbourPlan, LeavesTheNativeCallAloneWhereNothingIsFar) {
  const auto machine = *topology::parse_synthetic("node:2(5us) proc:4(1us)");
  select::NeighbourChooser chooser(machine, everybody_to_everybody(8),
                                   select::rules_for(select::NativeMpi::OpenMpi));
  const auto all = neighbour_candidates(chooser, {}, call_of_blocks(Operation::NeighbourAlltoall));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_FALSE(all[0].which.has_value());
  EXPECT_FALSE(
      make_neighbour_plan(chooser, machine, call_of_blocks(Operation::NeighbourAlltoall), 0)
          .planned);
}

TEST(NeighbourPlan, CanBeNamed) {
  const NamedAlgorithms named =
      read_algorithms("MPI_Neighbor_alltoall=joined, neighbour-allgather=relayed at level 1");
  EXPECT_TRUE(named.wrong.empty());
  EXPECT_EQ(named.known.at(Operation::NeighbourAlltoall), "joined");
  EXPECT_EQ(named.known.at(Operation::NeighbourAllgather), "relayed at level 1");
  const NamedAlgorithms wrong = read_algorithms("neighbour-alltoall=jioned");
  ASSERT_EQ(wrong.wrong.size(), 1U);
  EXPECT_EQ(wrong.wrong[0].error.hint, "did you mean \"joined\"?");
}

}  // namespace
}  // namespace espalier::runtime
