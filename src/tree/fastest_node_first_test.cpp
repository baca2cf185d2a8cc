#include "tree/fastest_node_first.hpp"

#include <gtest/gtest.h>

#include "base/contract.hpp"
#include "tree/tree_time.hpp"

namespace espalier::tree {
namespace {

using Costs = std::vector<Time>;

TEST(FastestNodeFirst, KeepsTheSlowRankALeaf) {
  const Costs costs{{1}, {9}, {1}, {1}};  // rank 1 is nine times slower
  const CommTree tree = fastest_node_first(costs, everybody(4, 0));
  EXPECT_TRUE(tree.children(1).empty());
  EXPECT_EQ(initiation_time(tree, costs), Time{2});
}

TEST(FastestNodeFirst, TakesFourHundredInThePapersExample) {
  const Costs costs{{100}, {300}, {300}, {300}, {300}, {100}, {300}, {300}};
  EXPECT_EQ(initiation_time(fastest_node_first(costs, everybody(8, 0)), costs), Time{400});
}

TEST(FastestNodeFirst, RefusesCostsThatDoNotFitTheMachine) {
  EXPECT_THROW((void)fastest_node_first(Costs{{1}, {1}}, everybody(3, 2)), ContractViolation);
}

}  // namespace
}  // namespace espalier::tree
