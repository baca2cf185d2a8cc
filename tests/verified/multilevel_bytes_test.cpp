// What a multilevel plan sends over each channel, whatever the machine, the root and the placement.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "collective/ordered_reduce.hpp"
#include "collective/partition.hpp"
#include "support/crossings.hpp"
#include "support/for_all_seeds.hpp"
#include "support/multilevel_cases.hpp"
#include "topology/readers.hpp"

namespace espalier::collective {
namespace {

using schedule::Collective;
using schedule::Operation;
using topology::Machine;
using namespace testing_support;

/// Block, cyclic or random, whatever the machine came with.
Machine replaced(Random& rng, const Machine& machine) {
  const std::uint64_t which = rng.below(3);
  if (which == 0) return with_placement(machine, block_placement(machine));
  if (which == 1) return with_placement(machine, cyclic_placement(machine));
  return with_placement(machine, random_placement(machine, rng.next()));
}

MultilevelChoice some_tree(Random& rng, const Machine& machine) {
  MultilevelChoice choice = some_choice(rng, machine.levels().size());
  choice.top = Top::Tree;
  return choice;
}

Collective plain_call(Operation operation, const Machine& machine, std::uint64_t count) {
  Collective call;
  call.operation = operation;
  call.size = machine.size();
  call.count = count;
  return call;
}

/// (members - 1) x `vectors` vectors in each cluster.
void expect_each_further_member(const Machine& machine, const schedule::Schedule& plan,
                                std::uint64_t vectors) {
  auto traffic = traffic_of(machine, plan);
  for (topology::ClusterId c = 0; c < machine.clusters().size(); ++c) {
    const std::uint64_t further = machine.clusters()[c].member_count - 1;
    ASSERT_EQ(traffic[c].units, further * vectors * plan.call.count)
        << "cluster " << c << " of depth " << machine.clusters()[c].depth;
  }
}

TEST(MultilevelBytesProperty, BroadcastAndReduceCrossEachChannelOnceForEachFurtherMember) {
  std::uint64_t plans = 0;
  for_all_seeds(150, [&](Random& rng) {
    const Machine machine = replaced(rng, some_machine(rng, 30));
    const Hierarchy hierarchy(machine);
    const MultilevelChoice choice = some_tree(rng, machine);
    for (const Operation operation : {Operation::Broadcast, Operation::Reduce}) {
      Collective call = plain_call(operation, machine, 1 + rng.below(50));
      for (call.root = 0; call.root < call.size; ++call.root) {
        const auto plan = multilevel_schedule(hierarchy, choice, call);
        ASSERT_NO_FATAL_FAILURE(expect_each_further_member(machine, plan, 1));
        ASSERT_EQ(complaint_of(plan), "");
        ++plans;
      }
    }
  });
  std::cout << plans << " plans\n";
}

TEST(MultilevelBytesProperty, ReductionsThatDoNotCommuteCrossAsOftenIfRanksAreInBlocks) {
  for_all_seeds(150, [](Random& rng) {
    const Machine any = some_machine(rng);
    const Machine machine = with_placement(any, block_placement(any));
    const Hierarchy hierarchy(machine);
    // A master that speaks for scattered members of its tree has several runs, so: flat.
    MultilevelChoice choice = some_tree(rng, machine);
    for (LevelChoice& level : choice.levels) level.shape = Shape::Flat;
    Collective call = plain_call(Operation::Reduce, machine, 7);
    call.commutative = false;
    call.root = static_cast<Rank>(rng.below(machine.size()));
    const auto traffic = traffic_of(machine, multilevel_schedule(hierarchy, choice, call));
    const auto across = traffic.find(0);
    const std::uint64_t further = machine.clusters().front().member_count - 1;
    ASSERT_EQ(across == traffic.end() ? 0 : across->second.units, further * call.count);
  });
}

TEST(MultilevelBytesProperty, ReductionsThatDoNotCommuteCrossOnceForEachRunOfRanks) {
  for_all_seeds(150, [](Random& rng) {
    const Machine machine = replaced(rng, some_machine(rng));
    const Hierarchy hierarchy(machine);
    MultilevelChoice choice = some_tree(rng, machine);
    choice.levels.front().shape = Shape::Flat;
    Collective call = plain_call(Operation::Reduce, machine, 7);
    call.commutative = false;
    call.root = static_cast<Rank>(rng.below(machine.size()));
    const Partition sites = outermost_clusters(machine);
    std::uint64_t runs = 0;
    for (Rank s = 0; s < sites.count(); ++s) {
      if (s != sites.part_of[call.root]) runs += runs_of(sites.parts[s]).size();
    }
    auto traffic = traffic_of(machine, multilevel_schedule(hierarchy, choice, call));
    ASSERT_EQ(traffic[0].units, runs * call.count);
  });
}

TEST(MultilevelBytesProperty, AllreduceCrossesTwiceForEachFurtherMemberOrOnceForEachPairOfSites) {
  for_all_seeds(150, [](Random& rng) {
    const Machine machine = replaced(rng, some_machine(rng));
    const Hierarchy hierarchy(machine);
    MultilevelChoice choice = some_tree(rng, machine);
    const Collective call = plain_call(Operation::Allreduce, machine, 1 + rng.below(50));
    ASSERT_NO_FATAL_FAILURE(
        expect_each_further_member(machine, multilevel_schedule(hierarchy, choice, call), 2));
    choice.top = Top::Exchange;
    const std::uint64_t sites = machine.clusters().front().member_count;
    auto traffic = traffic_of(machine, multilevel_schedule(hierarchy, choice, call));
    ASSERT_EQ(traffic[0].units, sites * (sites - 1) * call.count);
  });
}

TEST(MultilevelBytesProperty, BlocksCrossOnceToOrFromEachOtherSite) {
  for_all_seeds(200, [](Random& rng) {
    const Machine machine = replaced(rng, some_machine(rng));
    const Hierarchy hierarchy(machine);
    const Partition sites = outermost_clusters(machine);
    MultilevelChoice choice = some_choice(rng, machine.levels().size());
    choice.top = Top::Exchange;
    const std::uint64_t block = 1 + rng.below(9);
    const std::uint64_t others = sites.count() - 1;
    for (const Operation operation : {Operation::Allgather, Operation::ReduceScatter}) {
      const Collective call = plain_call(operation, machine, block);
      auto traffic = traffic_of(machine, multilevel_schedule(hierarchy, choice, call));
      ASSERT_EQ(traffic[0], (Traffic{sites.count() * others, others * call.size * block}))
          << name_of(operation);
    }
    const Collective call = plain_call(Operation::Alltoall, machine, block);
    Traffic due;
    for (Rank to = 0; to < sites.count(); ++to) {
      due.messages += others * std::min(choice.carriers.stripes, sites.size_of(to));
      due.units += (call.size - sites.size_of(to)) * sites.size_of(to) * block;
    }
    auto traffic = traffic_of(machine, multilevel_schedule(hierarchy, choice, call));
    ASSERT_EQ(traffic[0], due);
  });
}

TEST(MultilevelBytesProperty, ScansCrossOnceForEachFurtherSiteIfRanksAreInBlocks) {
  for_all_seeds(150, [](Random& rng) {
    const Machine any = some_machine(rng);
    const Machine machine = with_placement(any, block_placement(any));
    const Hierarchy hierarchy(machine);
    MultilevelChoice choice = some_choice(rng, machine.levels().size());
    choice.levels.front() = {Shape::Chain, 0};
    const std::uint64_t further = machine.clusters().front().member_count - 1;
    for (const Operation operation : {Operation::Scan, Operation::Exscan}) {
      const Collective call = plain_call(operation, machine, 7);
      auto traffic = traffic_of(machine, multilevel_schedule(hierarchy, choice, call));
      ASSERT_EQ(traffic[0], (Traffic{further, further * call.count}));
    }
  });
}

TEST(MultilevelBytes, AnAlltoallOf4096ScatteredRanksIsNeverSpelledOut) {
  Machine machine = *topology::parse_synthetic("site:4(30ms) node:64(1ms) proc:16(1us)");
  machine = with_placement(machine, random_placement(machine, 5));
  const Hierarchy hierarchy(machine);
  const Collective call = plain_call(Operation::Alltoall, machine, 8);
  MultilevelChoice choice{std::vector<LevelChoice>(3), Top::Tree};
  struct Case {
    Carriers carriers;
    std::size_t most_ops;
  };
  // A message for each child of the tree, or for each carrier of its own cluster; else families.
  for (const Case& c : {Case{{1, 1}, 40}, Case{{8, 1}, 20}, Case{{4096, 16}, 150}}) {
    choice.carriers = c.carriers;
    for (Rank rank = 0; rank < call.size; rank += 97) {
      const auto program = multilevel_program(hierarchy, choice, call, rank);
      ASSERT_LE(program.ops.size(), c.most_ops);
      ASSERT_LE(program.sets.size(), c.most_ops);
    }
  }
}

}  // namespace
}  // namespace espalier::collective
