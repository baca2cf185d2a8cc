#include "collective/irregular_tree.hpp"

#include <gtest/gtest.h>

#include "base/contract.hpp"
#include "schedule/schedule.hpp"
#include "support/for_all_seeds.hpp"
#include "support/random_blocks.hpp"
#include "support/random_trees.hpp"
#include "tree/irregular.hpp"
#include "tree/shapes.hpp"
#include "verify/verify.hpp"

namespace espalier::collective {
namespace {

using schedule::Collective;
using schedule::Operation;
using schedule::Schedule;

Collective call_of(Operation operation, Rank root, const std::vector<Bytes>& bytes) {
  Collective call{operation, static_cast<Rank>(bytes.size()), root, 0, Bytes{1}, true, {}};
  for (const Bytes b : bytes) call.counts.push_back(b.value);
  return call;
}

Schedule whole(const IrregularTree& plan) {
  Schedule schedule{plan.call(), "test", {}};
  for (Rank r = 0; r < plan.call().size; ++r) schedule.programs.push_back(plan.program_of(r));
  return schedule;
}

TEST(IrregularTreeProperty, GivesSchedulesThatTheVerifierPasses) {
  for_all_seeds(400, [](Random& rng) {
    const auto ranks = static_cast<Rank>(rng.between(1, 24));
    const std::vector<Bytes> bytes = random_blocks(rng, ranks, 1000);
    const auto root = static_cast<Rank>(rng.below(ranks));
    tree::Participants who =
        rng.chance(50) ? tree::with_blocks(bytes, root) : tree::everybody(ranks, root);
    rng.shuffle(std::span(who.others));
    const tree::CommTree tree = random_tree(rng, who);
    const Bytes piece{rng.chance(50) ? 0 : 1 + rng.below(2000)};
    const auto sending = piece.value == 0 && rng.chance(50) ? Sending::OneByOne : Sending::AtOnce;
    for (const Operation operation : {Operation::Scatter, Operation::Gather}) {
      const Schedule plan =
          whole(IrregularTree(tree, call_of(operation, root, bytes), sending, piece));
      const verify::Verdict verdict = verify::verify(plan);
      ASSERT_TRUE(verdict.ok()) << verdict;
    }
  });
}

TEST(IrregularTree, LeavesEmptyBlocksOut) {
  const std::vector<Bytes> bytes{{5}, {0}, {7}, {0}};
  const tree::CommTree chain = tree::chain(tree::everybody(4, 0));
  const Schedule plan =
      whole(IrregularTree(chain, call_of(Operation::Scatter, 0, bytes), Sending::AtOnce));
  EXPECT_EQ(verify::verify(plan).statistics.messages, 2U);  // 0 -> 1 -> 2, nothing to 3
  EXPECT_EQ(verify::verify(plan).statistics.bytes, Bytes{14});
  EXPECT_TRUE(plan.programs[3].ops.empty());
}

TEST(IrregularTree, NeedNotFillEmptyBlocksButNobodyElsesBlockMayComeThere) {
  using schedule::Buffer;
  const std::vector<Bytes> bytes{{5}, {0}};
  Schedule plan = whole(IrregularTree(tree::flat(tree::everybody(2, 0)),
                                      call_of(Operation::Scatter, 0, bytes), Sending::AtOnce));
  EXPECT_TRUE(verify::verify(plan).ok());
  schedule::ProgramBuilder sends(0);
  sends.copy(slice(Buffer::In, 0, 1), slice(Buffer::Out, 0, 1));
  sends.send(1, slice(Buffer::In, 0, 1));  // its own block, to a rank that gets nothing
  schedule::ProgramBuilder receives(1);
  receives.recv(0, slice(Buffer::Out, 0, 1));
  plan.programs[0] = std::move(sends).build();
  plan.programs[1] = std::move(receives).build();
  EXPECT_FALSE(verify::verify(plan).ok());
}

TEST(IrregularTree, CutsBundlesBetweenBlocks) {
  const std::vector<Bytes> bytes{{1}, {4}, {4}, {9}, {2}};
  const tree::CommTree chain = tree::chain(tree::everybody(5, 0));
  const Schedule plan =
      whole(IrregularTree(chain, call_of(Operation::Scatter, 0, bytes), Sending::AtOnce, Bytes{8}));
  // 4+4 | 9 | 2, then 4 | 9 | 2, then 9 | 2, then 2
  EXPECT_EQ(verify::verify(plan).statistics.messages, 3U + 3U + 2U + 1U);
}

TEST(IrregularTree, RefusesATreeWithoutSomebodyWhoHasABlock) {
  const std::vector<Bytes> bytes(3, Bytes{1});
  tree::CommTree part(3, 0);
  part.append_child(0, 1);
  EXPECT_THROW(IrregularTree(part, call_of(Operation::Gather, 0, bytes), Sending::AtOnce),
               ContractViolation);
  EXPECT_THROW(IrregularTree(tree::flat(tree::everybody(3, 0)),
                             call_of(Operation::Alltoall, 0, bytes), Sending::AtOnce),
               ContractViolation);
}

}  // namespace
}  // namespace espalier::collective
