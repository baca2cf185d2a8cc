#include "collective/neighbourhood.hpp"

#include <gtest/gtest.h>

#include "topology/readers.hpp"

namespace espalier::collective {
namespace {

using schedule::Collective;
using schedule::NeighbourGraph;
using schedule::Operation;

/// Everybody sends to everybody else.
Collective all_to_all(Operation operation, Rank size) {
  auto graph = std::make_shared<NeighbourGraph>();
  for (Rank r = 0; r < size; ++r) {
    std::vector<Rank> others;
    for (Rank other = 0; other < size; ++other) {
      if (other != r) others.push_back(other);
    }
    graph->sources.add(others);
    graph->destinations.add(others);
  }
  Collective call{operation, size, 0, 1, Bytes{1}, true, {}, std::move(graph)};
  call.counts.assign(size, 1);
  return call;
}

struct Crossings {
  std::uint64_t messages = 0, blocks = 0;
  friend bool operator==(const Crossings&, const Crossings&) = default;
};
/// What crosses level 0.
Crossings crossings(NeighbourRoute route, const Collective& call,
                    const topology::Machine& machine) {
  const NeighbourRoutes routes = neighbour_routes({route, 0}, call, machine);
  Crossings found;
  for (Rank r = 0; r < call.size; ++r) {
    const schedule::Program program = neighbour_program(call, routes, r);
    for (const schedule::Op& op : program.ops) {
      if (op.kind != schedule::OpKind::Send || machine.path(r, op.peer).level != 0) continue;
      ++found.messages;
      found.blocks += program.units(op.from);
    }
  }
  return found;
}

TEST(Neighbourhood, BundlesWhatCrossesToOneCluster) {
  const auto machine = *topology::parse_synthetic("site:2(10ms) proc:3(1us)");
  const Collective gather = all_to_all(Operation::NeighbourAllgather, 6);
  EXPECT_EQ(crossings(NeighbourRoute::Direct, gather, machine), (Crossings{18, 18}));
  EXPECT_EQ(crossings(NeighbourRoute::Relayed, gather, machine), (Crossings{6, 6}));
  EXPECT_EQ(crossings(NeighbourRoute::Joined, gather, machine), (Crossings{2, 6}));
  const Collective exchange = all_to_all(Operation::NeighbourAlltoall, 6);
  EXPECT_EQ(crossings(NeighbourRoute::Direct, exchange, machine), (Crossings{18, 18}));
  EXPECT_EQ(crossings(NeighbourRoute::Relayed, exchange, machine), (Crossings{6, 18}));
  EXPECT_EQ(crossings(NeighbourRoute::Joined, exchange, machine), (Crossings{2, 18}));
}

TEST(Neighbourhood, PlansHaveNamesThatAreReadBack) {
  for (const NeighbourRoute route :
       {NeighbourRoute::Direct, NeighbourRoute::Relayed, NeighbourRoute::Joined}) {
    for (const std::uint32_t level : {0U, 1U, 12U}) {
      const NeighbourPlan plan{route, route == NeighbourRoute::Direct ? 0 : level};
      EXPECT_EQ(neighbour_plan_named(name_of(plan)), plan);
    }
  }
  for (const char* wrong : {"", "ring", "joined ", "joined at level x", "direct at level 1"}) {
    EXPECT_FALSE(neighbour_plan_named(wrong).has_value()) << wrong;
  }
}

}  // namespace
}  // namespace espalier::collective
