#include "collective/striped.hpp"

#include <gtest/gtest.h>

#include "base/contract.hpp"
#include "support/crossings.hpp"
#include "support/for_all_seeds.hpp"
#include "support/multilevel_cases.hpp"
#include "topology/readers.hpp"

namespace espalier::collective {
namespace {

using schedule::Collective;
using schedule::Operation;
using namespace testing_support;

constexpr Operation kStriped[] = {Operation::Broadcast, Operation::Reduce, Operation::Allreduce,
                                  Operation::Allgather, Operation::ReduceScatter};

StripedChoice some_striped(Random& rng) {
  StripedChoice choice;
  choice.parts = static_cast<Rank>(rng.below(12));
  choice.inside = static_cast<Inside>(rng.below(2));
  choice.across = static_cast<Across>(rng.below(5));
  choice.tree = {static_cast<Shape>(rng.below(collective::kShapeCount)), rng.below(6)};
  return choice;
}

schedule::Schedule striped_schedule(const Hierarchy& hierarchy, const StripedChoice& choice,
                                    const Collective& call) {
  return schedule_of(call, "striped",
                     [&](Rank rank) { return striped_program(hierarchy, choice, call, rank); });
}

// Pieces of uneven length that wrap around the end: told in slices of two elements, 26,485 of them.
TEST(Striped, LongPiecesOfOddLengthDoNotWaitForEachOther) {
  const topology::Machine machine = *topology::parse_synthetic("site:3(2ms) proc:4(2ms)");
  const Hierarchy hierarchy(machine);
  const Collective call{Operation::Allreduce, 12, 0, 105706, Bytes{8}, true, {}};
  for (const Inside inside : {Inside::Ring, Inside::Halving}) {
    const StripedChoice choice{0, inside, Across::Ring, {Shape::Flat, 0}};
    ASSERT_EQ(complaint_of(striped_schedule(hierarchy, choice, call)), "");
  }
}

class StripedOfEach : public testing::TestWithParam<int> {};

INSTANTIATE_TEST_SUITE_P(Operation, StripedOfEach, testing::Range(0, 5), [](const auto& test) {
  std::string name(name_of(kStriped[test.param]));
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
});

TEST_P(StripedOfEach, IsVerifiedOnRandomMachines) {
  int verified = 0;
  int in_order = 0;
  const bool ran_all = for_all_seeds(800, [&](Random& rng) {
    const topology::Machine machine = some_machine(rng);
    const Hierarchy hierarchy(machine);
    const auto call = some_call(rng, kStriped[GetParam()], machine.size());
    const StripedChoice choice = some_striped(rng);
    if (!striped_supports(hierarchy, choice, call)) return;
    ++verified;
    if (!call.commutative) ++in_order;
    ASSERT_EQ(complaint_of(striped_schedule(hierarchy, choice, call)), "");
  });
  if (!ran_all) return;
  EXPECT_GT(verified, 450);
  // Reduce has no form that keeps rank order.
  EXPECT_GT(in_order, kStriped[GetParam()] == Operation::Reduce ? -1 : 10);
}

TEST_P(StripedOfEach, IsVerifiedOn200ProcessesInUnevenClusters) {
  const topology::Machine machine =
      *topology::parse_synthetic("site:3(1ms) node:7|20|13(50us) proc:5(1us)");
  const Hierarchy hierarchy(machine);
  for_all_seeds(20, [&](Random& rng) {
    auto call = some_call(rng, kStriped[GetParam()], machine.size());
    call.count = rng.below(5000);
    call.counts.clear();
    StripedChoice choice = some_striped(rng);
    choice.parts = static_cast<Rank>(rng.below(120));
    choice.tree.segment = 0;
    if (!striped_supports(hierarchy, choice, call)) return;
    ASSERT_EQ(complaint_of(striped_schedule(hierarchy, choice, call)), "");
  });
}

TEST(StripedProperty, MovesNoMoreAcrossThanOneLeaderWould) {
  for_all_seeds(300, [](Random& rng) {
    const topology::Machine machine = some_machine(rng);
    const Hierarchy hierarchy(machine);
    const std::uint64_t further = machine.clusters().front().member_count - 1;
    for (const Operation operation : kStriped) {
      Collective call = some_call(rng, operation, machine.size());
      call.commutative = true;
      call.counts.clear();
      StripedChoice choice = some_striped(rng);
      choice.across = Across::Exchange;
      const auto plan = striped_schedule(hierarchy, choice, call);
      std::uint64_t units = call.count;
      if (operation == Operation::Allreduce) units *= further + 1;
      if (has_blocks(operation)) units *= call.size;
      ASSERT_EQ(traffic_of(machine, plan)[0].units, further * units) << name_of_call(call);
    }
  });
}

TEST(Striped, DirectAcrossMovesTheLeastThatAnAllreduceMust) {
  const topology::Machine machine = *topology::parse_synthetic("site:3(1ms) proc:4(1us)");
  const Collective call{Operation::Allreduce, 12, 0, 1200, Bytes{8}, true, {}};
  StripedChoice choice;
  choice.across = Across::Direct;
  const auto plan = striped_schedule(Hierarchy(machine), choice, call);
  EXPECT_EQ(complaint_of(plan), "");
  EXPECT_EQ(traffic_of(machine, plan)[0].units, 2U * 2 * 1200);  // each site 2 (S-1)/S of it
}

TEST(Striped, RefusesWhatDoesNotKeepRankOrder) {
  const topology::Machine block = *topology::parse_synthetic("site:2(1ms) proc:3(1us)");
  const topology::Machine cyclic = with_placement(block, cyclic_placement(block));
  Collective call{Operation::Allreduce, 6, 0, 10, Bytes{1}, false, {}};
  StripedChoice choice;
  choice.inside = Inside::Halving;
  EXPECT_TRUE(striped_supports(Hierarchy(block), choice, call));
  EXPECT_FALSE(striped_supports(Hierarchy(cyclic), choice, call));
  choice.across = Across::Ring;
  EXPECT_FALSE(striped_supports(Hierarchy(block), choice, call));
  choice = {};
  EXPECT_FALSE(striped_supports(Hierarchy(block), choice, call));
  EXPECT_THROW((void)striped_program(Hierarchy(block), choice, call, 0), ContractViolation);
  call.operation = Operation::Gather;
  EXPECT_FALSE(striped_supports(Hierarchy(block), choice, call));
}

}  // namespace
}  // namespace espalier::collective
