// What is chosen by prediction, on the machines of the papers: how far from the bound, how far from
// the best of all candidates.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/units.hpp"
#include "bound/lower_bound.hpp"
#include "select/chooser.hpp"
#include "sim/simulate.hpp"
#include "topology/readers.hpp"
#include "verify/verify.hpp"

namespace espalier {
namespace {

using collective::Hierarchy;
using schedule::Collective;
using schedule::Operation;
using select::WhichPlan;
using topology::Machine;

Machine three_machines() {
  return *topology::parse_synthetic(
      "site:2(30ms,100Mbit/s) machine:1|2(500us,1Gbit/s) proc:16(5us,10Gbit/s,send=2us,recv=2us)");
}

Time chosen_time(const Hierarchy& hierarchy, select::Chooser& chooser, const Collective& call) {
  const select::Plan plan = *chooser.choose(call, WhichPlan::Best).plan;
  const select::Candidate candidate = candidate_of(plan, hierarchy, call);
  EXPECT_TRUE(verify::verify(schedule_of(candidate, call)).ok()) << candidate.name;
  return sim::simulate(call, candidate.program_of, hierarchy.machine()).finish;
}

TEST(ChosenPlans, AreWithin15PerCentOfTheBoundOnThreeMachines) {
  const Machine block = three_machines();
  for (const Machine& machine : {block, with_placement(block, cyclic_placement(block))}) {
    const Hierarchy hierarchy(machine);
    select::Chooser chooser(hierarchy);
    for (const Operation operation :
         {Operation::Broadcast, Operation::Reduce, Operation::Allreduce, Operation::Barrier}) {
      for (std::uint64_t bytes = 8; bytes <= (1U << 20U); bytes *= 8) {
        for (const Rank root : {Rank{0}, Rank{20}, Rank{47}}) {
          const std::uint64_t count = operation == Operation::Barrier ? 0 : bytes / 8;
          const Collective call{operation, machine.size(), root, count, Bytes{8}, true, {}};
          const double least = to_microseconds(bound::lower_bound(machine, call).value);
          EXPECT_LT(to_microseconds(chosen_time(hierarchy, chooser, call)), 1.15 * least)
              << name_of(operation) << " of " << bytes << " B from " << root << " by "
              << chooser.choose(call, WhichPlan::Best).name;
          if (operation == Operation::Barrier || operation == Operation::Allreduce) break;
        }
        if (operation == Operation::Barrier) break;
      }
    }
  }
}

/// 39 nodes whose own links are the bottleneck, not the WAN (a machine like that of dichev2010).
TEST(ChosenPlans, AreCloseToTheBestOfAllWhereNodeLinksDecide) {
  const Machine machine = *topology::parse_synthetic(
      "site:2(1.1ms,10Gbit/s) cluster:3|2(700us,10Gbit/s) "
      "node:8|8|7|8|8(300us,1Gbit/s,send=1us,recv=1us)");
  const Hierarchy hierarchy(machine);
  select::Chooser chooser(hierarchy);
  const struct {
    Operation operation;
    double milliseconds;
  } limits[] = {
      {Operation::Broadcast, 55}, {Operation::Allreduce, 41}, {Operation::Allgather, 643}};
  for (const auto& [operation, milliseconds] : limits) {
    const Collective call{operation, machine.size(), 0, 1U << 17U, Bytes{8}, true, {}};
    const Time chosen = chosen_time(hierarchy, chooser, call);
    Time best = kForever;
    for (const select::Candidate& candidate : select::candidates(hierarchy, call)) {
      best = std::min(best, sim::simulate(call, candidate.program_of, machine).finish);
    }
    EXPECT_LE(to_microseconds(chosen), 1.2 * to_microseconds(best)) << name_of(operation);
    EXPECT_LE(to_microseconds(chosen), 1e3 * milliseconds) << name_of(operation);
  }
}

TEST(ChosenPlans, AreTheSameForAllRootsOfManyRanksAndForAllElementsOfASizeClass) {
  const Machine machine = *topology::parse_synthetic(
      "site:2(30ms,100Mbit/s) machine:1|2(500us,1Gbit/s) proc:24(5us,10Gbit/s,send=2us,recv=2us)");
  const Hierarchy hierarchy(machine);
  ASSERT_GT(machine.size(), select::kOwnRootsUpTo);
  select::Chooser one(hierarchy), other(hierarchy);
  Collective call{Operation::Broadcast, machine.size(), 0, 1U << 18U, Bytes{4}, true, {}};
  const auto plan = one.choose(call, WhichPlan::Best).plan;
  ASSERT_TRUE(plan);
  call.root = 31;
  EXPECT_EQ(one.choose(call, WhichPlan::Best).plan, plan);
  EXPECT_EQ(other.choose(call, WhichPlan::Best).plan, plan);
  EXPECT_EQ(one.remembered(), 2U);
  call.count = (1U << 18U) + 5;
  EXPECT_EQ(one.choose(call, WhichPlan::Best).plan, plan);
  EXPECT_EQ(one.remembered(), 2U);
}

}  // namespace
}  // namespace espalier
