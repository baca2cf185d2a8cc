#include "select/predict.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/units.hpp"
#include "collective/multilevel.hpp"
#include "select/candidates.hpp"
#include "select/flows.hpp"
#include "select/whole_tree.hpp"
#include "sim/simulate.hpp"
#include "support/for_all_seeds.hpp"
#include "support/machines.hpp"
#include "topology/readers.hpp"

namespace espalier::select {
namespace {

using collective::Hierarchy;
using schedule::Collective;
using schedule::Operation;

TEST(ShareEqually, FlowsThatStartTogetherEndByTheirSizes) {
  Sharer two[] = {{0, 100, 0}, {0, 300, 0}};
  share_equally(two, 1);
  EXPECT_DOUBLE_EQ(two[0].end, 200);  // half the speed while both flow
  EXPECT_DOUBLE_EQ(two[1].end, 400);
}

TEST(ShareEqually, AResourceIsNeverIdleWhileThereIsWork) {
  for_all_seeds(200, [](Random& rng) {
    std::vector<Sharer> flows;
    for (std::uint64_t i = 0, n = 1 + rng.below(8); i < n; ++i) {
      flows.push_back({double(rng.below(1000)), double(1 + rng.below(500)), 0});
    }
    share_equally(flows, 2);
    // The last end is that of serving them one after the other.
    std::vector<Sharer> sorted = flows;
    std::sort(sorted.begin(), sorted.end(),
              [](const Sharer& a, const Sharer& b) { return a.start < b.start; });
    double clock = 0, last = 0;
    for (const Sharer& flow : sorted) {
      clock = std::max(clock, flow.start) + 2 * flow.bytes;
      last = std::max(last, flow.end);
      EXPECT_GE(flow.end, flow.start + 2 * flow.bytes - 1e-6);
    }
    EXPECT_NEAR(last, clock, 1e-6 * clock);
  });
}

TEST(WholeTree, IsTheTreeThatTheRanksBuildForThemselves) {
  for_all_seeds(100, [](Random& rng) {
    const topology::Machine machine = any_machine(rng);
    const Hierarchy hierarchy(machine);
    std::vector<collective::LevelChoice> choices;
    for (std::size_t l = 0; l < machine.levels().size(); ++l) {
      choices.push_back({static_cast<collective::Shape>(rng.below(collective::kShapeCount)), 0});
    }
    const auto root = static_cast<Rank>(rng.below(machine.size()));
    const auto from_level = static_cast<std::uint32_t>(rng.below(2));
    const WholeTree tree = multilevel_tree(hierarchy, choices, root, from_level);
    for (Rank r = 0; r < machine.size(); ++r) {
      const auto links = multilevel_links(hierarchy, choices, root, r, from_level);
      EXPECT_EQ(tree.parent[r], links.parent.peer);
      ASSERT_EQ(tree.children_of(r).size(), links.children.size());
      for (std::size_t c = 0; c < links.children.size(); ++c) {
        EXPECT_EQ(tree.children_of(r)[c], links.children[c].peer);
      }
    }
  });
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
      if (!std::holds_alternative<collective::MultilevelChoice>(candidate.plan)) continue;
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
      const Candidate candidate = candidate_of(choice, hierarchy, call, "");
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

}  // namespace
}  // namespace espalier::select
