#include <gtest/gtest.h>

#include <algorithm>

#include "base/contract.hpp"
#include "model/pair_models.hpp"
#include "support/for_all_seeds.hpp"
#include "support/random_blocks.hpp"
#include "support/random_trees.hpp"
#include "tree/irregular_trees.hpp"
#include "tree/tree_time.hpp"

namespace espalier::tree {
namespace {

using Sizes = std::vector<Bytes>;

TEST(TraeffDistributed, HangsTheRunThatIsGatheredEarlierBelowTheOther) {
  const CommTree tree = traeff_distributed(Sizes{{5}, {1}, {2}, {9}}, 0);
  EXPECT_EQ(tree.children(0), (std::vector<Rank>{3, 1}));
  EXPECT_EQ(tree.children(3), (std::vector<Rank>{2}));
}

TEST(TraeffDistributed, RefusesARootThatIsNoRank) {
  EXPECT_THROW((void)traeff_distributed(Sizes(3), 3), ContractViolation);
}

/// The lowest and the highest rank below, which bound exactly as many ranks as there are.
bool is_run_of_ranks(const CommTree& tree, Rank top) {
  Rank low = top;
  Rank high = top;
  Rank count = 0;
  std::vector<Rank> todo{top};
  while (!todo.empty()) {
    const Rank r = todo.back();
    todo.pop_back();
    low = std::min(low, r);
    high = std::max(high, r);
    ++count;
    for (const Rank c : tree.children(r)) todo.push_back(c);
  }
  return high - low + 1 == count;
}

TEST(TraeffDistributedProperty, KeepsBundlesInOrderAndItsTimeLinear) {
  for_all_seeds(100, [](Random& rng) {
    const auto ranks = static_cast<Rank>(rng.between(1, 70));
    const Sizes bytes = random_blocks(rng, ranks, 1000);
    // The paper's bound without the rounds that find the tree, ceil(log2 P) alpha + beta sum m, for
    // the root that the algorithm would choose itself: one of all.
    const model::Hockney model(ranks, Time{7}, bits_per_second(8'000'000'000'000));  // 1 ps a byte
    std::int64_t rounds = 0;
    while ((Rank{1} << rounds) < ranks) ++rounds;
    std::int64_t sum = 0;
    for (const Bytes b : bytes) sum += static_cast<std::int64_t>(b.value);
    bool is_linear = false;
    for (Rank root = 0; root < ranks; ++root) {
      const CommTree tree = traeff_distributed(bytes, root);
      ASSERT_TRUE(spans(tree, everybody(ranks, root)));
      for (Rank r = 0; r < ranks; ++r) ASSERT_TRUE(is_run_of_ranks(tree, r));
      const std::int64_t others = sum - static_cast<std::int64_t>(bytes[root].value);
      is_linear |= gather_time(tree, model, bytes).picoseconds <= 7 * rounds + others;
      ASSERT_LE(traeff_distributed_setup(bytes, root, model).picoseconds, rounds * (7 + 8));
    }
    ASSERT_TRUE(is_linear);
  });
}

}  // namespace
}  // namespace espalier::tree
