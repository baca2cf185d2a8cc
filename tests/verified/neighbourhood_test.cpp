#include "collective/neighbourhood.hpp"

#include <gtest/gtest.h>

#include "schedule/schedule.hpp"
#include "support/for_all_seeds.hpp"
#include "support/random_neighbours.hpp"
#include "support/run_schedule.hpp"
#include "topology/random_machine.hpp"
#include "verify/verify.hpp"

namespace espalier::collective {
namespace {

using schedule::Buffer;
using schedule::Collective;
using schedule::NeighbourGraph;
using schedule::Operation;
using schedule::Schedule;

Schedule neighbour_schedule(const NeighbourPlan& plan, const Collective& call,
                            const topology::Machine& machine) {
  const NeighbourRoutes routes = neighbour_routes(plan, call, machine);
  Schedule schedule{call, name_of(plan), {}};
  for (Rank r = 0; r < call.size; ++r) {
    schedule.programs.push_back(neighbour_program(call, routes, r));
  }
  return schedule;
}

/// What MPI says, told by looking for it: the k-th block that `from` has for `to`.
std::uint64_t block_of(const NeighbourGraph& graph, Rank from, Rank to, std::size_t kth) {
  const auto sent = graph.destinations.of(from);
  for (std::size_t b = 0; b < sent.size(); ++b) {
    if (sent[b] == to && kth-- == 0) return b;
  }
  ADD_FAILURE() << "no such block";
  return 0;
}

/// Every block is where it belongs, and places of MPI_PROC_NULL were not written.
void expect_blocks(const Schedule& schedule, std::uint64_t seed) {
  const Collective& call = schedule.call;
  testing_support::ScheduleRun run(schedule, seed);
  ASSERT_EQ(run.run(), "");
  for (Rank to = 0; to < call.size; ++to) {
    const auto sources = call.graph->sources.of(to);
    const auto& out = run.units(to, Buffer::Out);
    ASSERT_EQ(out.size(), sources.size());
    std::vector<std::size_t> met(call.size, 0);
    for (std::size_t place = 0; place < sources.size(); ++place) {
      const Rank from = sources[place];
      if (from == kNoRank) {
        ASSERT_EQ(out[place].count, 0U) << "rank " << to << ", place " << place;
        continue;
      }
      const std::uint64_t block = call.operation == Operation::NeighbourAllgather
                                      ? 0
                                      : block_of(*call.graph, from, to, met[from]++);
      ASSERT_EQ(out[place], testing_support::input(from, block))
          << "rank " << to << ", place " << place << " from " << from;
    }
  }
}

TEST(NeighbourhoodProperty, BringsEveryBlockToItsPlaceWhateverTheGraphAndTheMachine) {
  for_all_seeds(200, [](Random& rng) {
    topology::RandomMachineOptions options;
    options.max_processes = 24;
    const topology::Machine machine = topology::random_machine(rng.next(), options);
    const Rank size = machine.size();
    const auto graph = std::make_shared<const NeighbourGraph>(
        testing_support::random_graph(rng, size, rng.chance(30)));
    for (const Operation operation :
         {Operation::NeighbourAllgather, Operation::NeighbourAlltoall}) {
      Collective call{operation, size, 0, 1, Bytes{1}, true, {}, graph};
      for (Rank r = 0; r < size; ++r) call.counts.push_back(rng.below(3));
      for (const NeighbourRoute route :
           {NeighbourRoute::Direct, NeighbourRoute::Relayed, NeighbourRoute::Joined}) {
        const auto level = static_cast<std::uint32_t>(rng.below(machine.levels().size() + 1));
        const Schedule plan = neighbour_schedule({route, level}, call, machine);
        SCOPED_TRACE(plan.algorithm + " of " + std::string(schedule::name_of(operation)) + ", " +
                     std::to_string(size) + " ranks");
        const verify::Verdict verdict = verify::verify(plan);
        ASSERT_TRUE(verdict.ok()) << verdict;
        expect_blocks(plan, rng.next());
        if (testing::Test::HasFailure()) return;
      }
    }
  });
}

TEST(Neighbourhood, IsRefusedByTheVerifierIfABlockGoesElsewhere) {
  const topology::Machine machine = topology::random_machine(5, {});
  NeighbourGraph ring;
  const Rank size = machine.size();
  for (Rank r = 0; r < size; ++r) {
    ring.sources.add(std::vector<Rank>{(r + size - 1) % size, (r + 1) % size});
    ring.destinations.add(std::vector<Rank>{(r + size - 1) % size, (r + 1) % size});
  }
  const auto graph = std::make_shared<const NeighbourGraph>(ring);
  Collective call{Operation::NeighbourAlltoall, size, 0, 1, Bytes{1}, true, {}, graph};
  call.counts.assign(size, 1);
  Schedule plan = neighbour_schedule({}, call, machine);
  if (size < 3) GTEST_SKIP();
  ASSERT_TRUE(verify::verify(plan).ok());
  for (schedule::Op& op : plan.programs[0].ops) {
    if (op.kind == schedule::OpKind::Recv) op.to.outer.set = 0;
  }
  EXPECT_FALSE(verify::verify(plan).ok());
  plan.call.graph = nullptr;
  EXPECT_FALSE(verify::verify(plan).ok());
}

}  // namespace
}  // namespace espalier::collective
