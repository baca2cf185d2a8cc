#include "select/quick_irregular.hpp"

#include <gtest/gtest.h>

#include "base/contract.hpp"
#include "select/block_counts.hpp"
#include "support/for_all_seeds.hpp"
#include "topology/random_machine.hpp"
#include "topology/readers.hpp"

namespace espalier::select {
namespace {

using schedule::Collective;
using schedule::Operation;
using topology::Machine;

Collective random_call(Random& rng, const Machine& machine) {
  const auto& names = count_distributions();
  const auto root = static_cast<Rank>(rng.below(machine.size()));
  return {rng.chance(50) ? Operation::Scatter : Operation::Gather,
          machine.size(),
          root,
          0,
          Bytes{1},
          true,
          *counts_from(names[rng.below(names.size())], machine, Bytes{1 + rng.below(100'000)})};
}

/// Exactly the root and those with blocks are in it.
void expect_spans_blocks(const tree::CommTree& tree, const Collective& call) {
  EXPECT_EQ(tree.root(), call.root);
  for (Rank r = 0; r < call.size; ++r) {
    EXPECT_EQ(tree.contains(r), r == call.root || call.counts[r] > 0) << r;
  }
}

TEST(QuickChoiceProperty, SpansTheBlocksAndIsNoSlowerThanLinear) {
  for_all_seeds(60, [](Random& rng) {
    const Machine machine = topology::random_machine(rng.next(), {.max_processes = 24});
    const Collective call = random_call(rng, machine);
    const IrregularChoice choice = quick_choice(machine, call);
    expect_spans_blocks(choice.plan.tree, call);
    const IrregularPlan linear = irregular_plan("linear", machine, call);
    EXPECT_LE(choice.predicted, predict(linear, machine, call, quick_conditions()));
  });
}

// What it leaves out, the search and the exact sharing of links, is worth little: cells of
// docs/irregular.md.
TEST(QuickChoice, WinsWhereLinearLoses) {
  const Machine slow_root =
      *topology::parse_synthetic("proc:256(50us,1Gbit/s,send=100us,recv=1us)");
  const Collective call{
      Operation::Scatter, 256, 0, 0, Bytes{1}, true, std::vector<std::uint64_t>(256, 100)};
  const IrregularChoice choice = quick_choice(slow_root, call);
  const IrregularPlan linear = irregular_plan("linear", slow_root, call);
  EXPECT_LT(4 * choice.predicted, predict(linear, slow_root, call, quick_conditions()));
}

TEST(RefittedProperty, LeavesOutEmptyRanksAndKeepsBundlesSmall) {
  for_all_seeds(200, [](Random& rng) {
    const auto size = static_cast<Rank>(1 + rng.below(30));
    Collective call{Operation::Scatter, size, static_cast<Rank>(rng.below(size)), 0,
                    Bytes{1},           true, std::vector<std::uint64_t>(size, 1)};
    const tree::CommTree whole = random_tree(call, rng.next());
    std::vector<Bytes> bytes(size);
    for (Rank r = 0; r < size; ++r) {
      call.counts[r] = rng.chance(40) ? 0 : rng.below(1000);
      bytes[r].value = call.counts[r];
    }
    const Bytes limit{rng.below(3000)};
    const tree::CommTree tree = refitted(whole, call, limit);
    expect_spans_blocks(tree, call);
    EXPECT_LE(largest_bundle(tree, bytes), limit);
    expect_spans_blocks(random_tree(call, rng.next(), limit), call);
  });
}

TEST(Refitted, RefusesATreeThatLeavesRanksOut) {
  const Collective call{Operation::Scatter, 3, 0, 0, Bytes{1}, true, {1, 1, 1}};
  EXPECT_THROW((void)refitted(tree::CommTree(3, 0), call), ContractViolation);
  EXPECT_THROW((void)refitted(tree::CommTree(2, 0), call), ContractViolation);
}

}  // namespace
}  // namespace espalier::select
