#include "select/neighbour_chooser.hpp"

#include <gtest/gtest.h>

#include "topology/readers.hpp"

namespace espalier::select {
namespace {

using schedule::NeighbourGraph;
using schedule::Operation;

std::shared_ptr<const NeighbourGraph> graph_of(Rank size, const std::vector<int>& distances) {
  auto graph = std::make_shared<NeighbourGraph>();
  for (Rank r = 0; r < size; ++r) {
    std::vector<Rank> from, to;
    for (const int distance : distances) {
      to.push_back((r + size + static_cast<Rank>(distance)) % size);
      from.push_back((r + size - static_cast<Rank>(distance)) % size);
    }
    graph->sources.add(from);
    graph->destinations.add(to);
  }
  return graph;
}

TEST(NeighbourChooser, TakesDataAcrossOnceIfManyFarNeighboursGetTheSame) {
  const auto machine = *topology::parse_synthetic("site:2(10ms,100Mbit/s) proc:8(1us,10Gbit/s)");
  NeighbourChooser chooser(machine,
                           graph_of(16, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}),
                           rules_for(NativeMpi::Mpich));
  const NeighbourChoice& choice = chooser.choose({Operation::NeighbourAllgather, 65536});
  ASSERT_TRUE(choice.planned()) << choice.why;
  EXPECT_NE(choice.plan->route, collective::NeighbourRoute::Direct);
  EXPECT_LT(*choice.predicted, *choice.native_predicted);
}

TEST(NeighbourChooser, StaysNativeWithoutFarNeighbours) {
  const auto near = *topology::parse_synthetic("node:2(5us) proc:4(1us)");
  NeighbourChooser on_near(near, graph_of(8, {1, 7}), rules_for(NativeMpi::Mpich));
  EXPECT_FALSE(on_near.choose({Operation::NeighbourAlltoall, 65536}).planned());
  EXPECT_EQ(on_near.choose({Operation::NeighbourAlltoall, 65536}).why, "no neighbour is far");
  const auto far = *topology::parse_synthetic("site:2(10ms) proc:4(1us)");
  auto inside = std::make_shared<NeighbourGraph>();
  for (Rank r = 0; r < 8; ++r) {
    inside->sources.add(std::vector<Rank>{r ^ 1U});
    inside->destinations.add(std::vector<Rank>{r ^ 1U});
  }
  NeighbourChooser within(far, inside, rules_for(NativeMpi::Mpich));
  EXPECT_EQ(within.choose({Operation::NeighbourAllgather, 65536}).why, "no neighbour is far");
}

TEST(NeighbourChooser, LeavesRepeatedNeighboursOfAlltoallsToTheLibrary) {
  const auto machine = *topology::parse_synthetic("site:2(10ms) proc:2(1us)");
  Rules rules = rules_for(NativeMpi::OpenMpi);
  rules.force = true;
  NeighbourChooser chooser(machine, graph_of(4, {2, 2}), rules);
  EXPECT_FALSE(chooser.choose({Operation::NeighbourAlltoall, 65536}).planned());
  EXPECT_TRUE(chooser.choose({Operation::NeighbourAllgather, 65536}).planned());
}

TEST(NeighbourChooser, TakesThePlanThatIsNamed) {
  const auto machine = *topology::parse_synthetic("site:2(10ms) proc:2(1us)");
  Rules rules = rules_for(NativeMpi::OpenMpi);
  rules.named[Operation::NeighbourAlltoall] = "joined";
  NeighbourChooser chooser(machine, graph_of(4, {1}), rules);
  EXPECT_EQ(chooser.choose({Operation::NeighbourAlltoall, 65536}).name, "joined");
  EXPECT_NE(chooser.choose({Operation::NeighbourAllgather, 65536}).why,
            "named by ESPALIER_ALGORITHM");
}

TEST(NeighbourChooser, RefusesGraphsAboveItsBound) {
  const auto machine = *topology::parse_synthetic("site:2(10ms) proc:100(1us)");
  std::vector<int> all;
  for (int d = 1; d < 200; ++d) all.push_back(d);
  NeighbourChooser chooser(machine, graph_of(200, all), rules_for(NativeMpi::OpenMpi));
  EXPECT_EQ(chooser.choose({Operation::NeighbourAlltoall, 65536}).why,
            "too many neighbours to be planned");
}

}  // namespace
}  // namespace espalier::select
