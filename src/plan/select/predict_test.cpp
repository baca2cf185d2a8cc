#include "select/predict.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/units.hpp"
#include "select/candidates.hpp"
#include "select/ranking.hpp"
#include "sim/simulate.hpp"
#include "support/for_all_seeds.hpp"
#include "support/machines.hpp"
#include "topology/readers.hpp"

namespace espalier::select {
namespace {

using collective::Hierarchy;
using schedule::Collective;
using schedule::Operation;

/// Up a tree a rank's link in carries what its children send, and its link out one message.
TEST(Predict, SegmentsUpATreeShareTheLinksThatTheyCross) {
  const topology::Machine machine =
      *topology::parse_synthetic("l0:6(10ms,100Mbit/s) l1:6(300us,50Mbit/s,send=1us,recv=1us)");
  const Hierarchy hierarchy(machine);
  const Collective call{Operation::Reduce, machine.size(), 22, 131072, Bytes{1}, true, {}};
  for (const char* name : {"multilevel binary/chain 4 KiB", "multilevel chain/chain 4 KiB",
                           "multilevel chain/binary 4 KiB"}) {
    const Plan plan = *plan_named(name, hierarchy, call);
    const double simulated = to_seconds(simulated_time(plan, hierarchy, call, {}));
    const double predicted = to_seconds(predict(plan, CostView(machine), hierarchy, call));
    EXPECT_NEAR(predicted, simulated, 0.01 * simulated) << name;
  }
}

/// Off powers of two pairs come first: one of each stays, the root in its own. Then the pieces of
/// half of the others go over the nearest link.
TEST(Predict, TellsRabenseifnersReductionAmongAnyNumberOfRanks) {
  for (const char* text : {"l0:2(200us,10Mbit/s,backbone=100Mbit/s) l1:3|2(300us,1Gbit/s)",
                           "proc:5(1ms,10Mbit/s)", "site:2(10ms,10Mbit/s) proc:3(50us,1Gbit/s)",
                           "l0:5(1ms,10Mbit/s,backbone=50Mbit/s) l1:2(50us,10Mbit/s)",
                           "site:2(2ms,50Mbit/s) proc:4(1us,1Gbit/s) placement=cyclic"}) {
    const topology::Machine machine = *topology::parse_synthetic(text);
    const Hierarchy hierarchy(machine);
    for (Rank root = 0; root < machine.size(); ++root) {
      const Collective call{Operation::Reduce, machine.size(), root, 400'000, Bytes{1}, true, {}};
      const Plan plan = *plan_named("rabenseifner", hierarchy, call);
      const double simulated = to_seconds(simulated_time(plan, hierarchy, call, {}));
      const double predicted = to_seconds(predict(plan, CostView(machine), hierarchy, call));
      EXPECT_GE(predicted, 0.95 * simulated) << text << " to " << root;
      EXPECT_LE(predicted, 1.25 * simulated) << text << " to " << root;
    }
  }
}

/// The backbone carries both halves to both ranks: 83.48 ms, and a latency.
TEST(Predict, CountsAllThatABackboneCarriesAlongTwoTrees) {
  const topology::Machine machine =
      *topology::parse_synthetic("l0:3(1ms,50Mbit/s,backbone=10Mbit/s)");
  const Hierarchy hierarchy(machine);
  const Collective call{Operation::Broadcast, 3, 0, 52177, Bytes{1}, true, {}};
  const Plan plan = *plan_named("double-tree", hierarchy, call);
  const double simulated = to_seconds(simulated_time(plan, hierarchy, call, {}));
  const double predicted = to_seconds(predict(plan, CostView(machine), hierarchy, call));
  EXPECT_NEAR(predicted, simulated, 0.01 * simulated);
}

/// Where next to nothing is shared the closed form is the simulation.
TEST(Predict, IsTheSimulationForOneByteDownAnyTree) {
  for_all_seeds(60, [](Random& rng) {
    const topology::Machine machine = any_machine(rng);
    const Hierarchy hierarchy(machine);
    const CostView cost_view(machine);
    const Collective call{Operation::Broadcast,
                          machine.size(),
                          static_cast<Rank>(rng.below(machine.size())),
                          1,
                          Bytes{1},
                          true,
                          {}};
    for (const Candidate& candidate : candidates(hierarchy, call)) {
      if (levels_of(candidate.plan) == nullptr) continue;
      const Time simulated = sim::simulate(call, candidate.program_of, machine).finish;
      const Time predicted = predict(candidate.plan, cost_view, hierarchy, call);
      EXPECT_NEAR(to_microseconds(predicted), to_microseconds(simulated),
                  1e-3 * to_microseconds(simulated))
          << candidate.name;
    }
  });
}

/// Levels are tuned one by one, so their segments differ: where clusters meet, one child comes
/// whole and another in parts.
TEST(Predict, CountsAllChildrenOfAReductionThatIsCutOnOneLevelOnly) {
  const auto machine =
      *topology::parse_synthetic("cluster:5(3ms,20Mbit/s) proc:4(100us,100Mbit/s,send=10us)");
  const Hierarchy hierarchy(machine);
  const CostView cost_view(machine);
  const Collective call{Operation::Reduce, machine.size(), 0, 131072, Bytes{8}, true, {}};
  using collective::Shape;
  for (const Shape outer : {Shape::Flat, Shape::Chain}) {
    for (const bool cut_outside : {true, false}) {
      const collective::MultilevelChoice choice{
          {{outer, cut_outside ? 512U : 0U}, {Shape::Binary, cut_outside ? 0U : 512U}},
          collective::Top::Tree,
          {}};
      const Plan plan{collective::find_algorithm(call.operation, "multilevel"), choice};
      const Candidate candidate = candidate_of(plan, hierarchy, call);
      const Time simulated = sim::simulate(call, candidate.program_of, machine).finish;
      const Time predicted = predict(candidate.plan, cost_view, hierarchy, call);
      EXPECT_NEAR(to_microseconds(predicted), to_microseconds(simulated),
                  0.1 * to_microseconds(simulated))
          << candidate.name;
    }
  }
}

TEST(Predict, TakesNoTimeAlone) {
  const auto machine = *topology::parse_synthetic("proc:1(5us)");
  const Hierarchy hierarchy(machine);
  const CostView cost_view(machine);
  for (int o = 0; o < schedule::kOperationCount; ++o) {
    const Collective call{static_cast<Operation>(o), 1, 0, 8, Bytes{8}, true, {}};
    for (const Candidate& candidate : candidates(hierarchy, call)) {
      EXPECT_EQ(predict(candidate.plan, cost_view, hierarchy, call), Time{0}) << candidate.name;
    }
  }
}

std::string told(const std::vector<Choice>& ranked, const Collective& call) {
  std::string text;
  for (const Choice& choice : ranked) {
    text +=
        std::to_string(choice.predicted.picoseconds) + " ps " + name_of(choice.plan, call) + "\n";
  }
  return text;
}

TEST(Predictor, RanksPlansByDifferentPartsAsRankByRank) {
  for (const char* text :
       {"site:4(10ms,1Gbit/s) node:12(20us,25Gbit/s) proc:8(1us,80Gbit/s,send=400ns,recv=400ns)",
        "site:2(2ms,1Gbit/s,backbone=100Mbit/s) node:16(20us,25Gbit/s) "
        "proc:8(1us,80Gbit/s,send=400ns,reduce=8Gbit/s) placement=cyclic",
        "site:5(10ms,1Gbit/s) node:16(20us,25Gbit/s) proc:4(1us,80Gbit/s,send=400ns,recv=400ns)",
        "site:2(1ms,1Gbit/s) node:20|18(20us,25Gbit/s,duplex=half) "
        "proc:8(1us,80Gbit/s,send=400ns,recv=500ns)"}) {
    SCOPED_TRACE(text);
    const auto machine = *topology::parse_synthetic(text);
    const Hierarchy hierarchy(machine);
    const collective::FoldedMachine folded(hierarchy, 0, {});
    ASSERT_LE(kFewParts * folded.hierarchy().machine().size(), machine.size());
    const Predictor by_parts(hierarchy);
    const CostView rank_by_rank(machine);
    for (int o = 0; o < schedule::kOperationCount; ++o) {
      Collective call{static_cast<Operation>(o), machine.size(), 0, 16384, Bytes{1}, true, {}};
      if (call.operation == Operation::Barrier) call.count = 0;
      // Aligned machines tell more plans by parts from rank 0.
      const bool from_0 = hierarchy.shape().is_aligned;
      if (schedule::has_root(call.operation)) call.root = from_0 ? 0 : 17;
      EXPECT_EQ(told(ranking(by_parts, call), call),
                told(ranking(hierarchy, rank_by_rank, call), call))
          << schedule::name_of(call.operation);
    }
  }
}

}  // namespace
}  // namespace espalier::select
