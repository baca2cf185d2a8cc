#include "tree/irregular_algorithm.hpp"

#include <gtest/gtest.h>

#include "base/contract.hpp"
#include "model/cost_model.hpp"
#include "model/machine_models.hpp"
#include "model/time_reversed.hpp"
#include "support/for_all_seeds.hpp"
#include "support/random_blocks.hpp"
#include "support/random_trees.hpp"
#include "topology/random_machine.hpp"
#include "tree/irregular_trees.hpp"

namespace espalier::tree {
namespace {

TEST(IrregularAlgorithms, AreFoundByTheirNames) {
  for (const IrregularAlgorithm& a : irregular_algorithms()) {
    EXPECT_EQ(find_irregular_algorithm(a.name), &a);
  }
  EXPECT_EQ(find_irregular_algorithm("no such"), nullptr);
}

TEST(IrregularAlgorithmsProperty, SpanAllWhoHaveBlocksForBothDirections) {
  for_all_seeds(150, [](Random& rng) {
    const topology::Machine machine = topology::random_machine(rng.next(), {1, 18});
    const model::Levels levels(machine);
    const model::TimeReversed reversed(levels);
    const auto root = static_cast<Rank>(rng.below(machine.size()));
    const std::vector<Bytes> bytes = random_blocks(rng, machine.size());
    const Participants who = with_blocks(bytes, root);
    for (const IrregularAlgorithm& a : irregular_algorithms()) {
      for (const model::CostModel* model : {static_cast<const model::CostModel*>(&levels),
                                            static_cast<const model::CostModel*>(&reversed)}) {
        const CommTree tree = a.build({who, bytes, *model}, machine);
        // The distributed one is found without knowing who has nothing.
        const bool all = a.name == "traeff-distributed";
        ASSERT_TRUE(spans(tree, all ? everybody(machine.size(), root) : who)) << a.name;
        ASSERT_EQ(tree, a.build({who, bytes, *model}, machine)) << a.name;
      }
    }
  });
}

TEST(IrregularAlgorithms, RefuseLengthsThatDoNotFitTheMachine) {
  const topology::Machine machine = topology::random_machine(1, {4, 4});
  const model::Levels levels(machine);
  const Participants who = everybody(4, 0);
  const std::vector<Bytes> three(3, Bytes{1});
  EXPECT_THROW((void)traeff({who, three, levels}), ContractViolation);
}

}  // namespace
}  // namespace espalier::tree
