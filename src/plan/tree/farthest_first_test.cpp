#include <gtest/gtest.h>

#include <algorithm>

#include "support/for_all_seeds.hpp"
#include "support/random_blocks.hpp"
#include "support/table_model.hpp"
#include "tree/irregular_trees.hpp"
#include "tree/shapes.hpp"
#include "tree/tree_time.hpp"

namespace espalier::tree {
namespace {

TEST(FarthestFirstProperty, IsTheBestOrderOfALinearTree) {
  for_all_seeds(100, [](Random& rng) {
    const auto ranks = static_cast<Rank>(rng.between(1, 6));
    const TableModel model = random_table(rng, ranks);
    const std::vector<Bytes> bytes = random_blocks(rng, ranks, 50);
    Participants who = everybody(ranks, static_cast<Rank>(rng.below(ranks)));
    const Time found = scatter_time(farthest_first({who, bytes, model}), model, bytes);
    Time best = kForever;
    std::sort(who.others.begin(), who.others.end());
    do {
      best = std::min(best, scatter_time(flat(who), model, bytes));
    } while (std::next_permutation(who.others.begin(), who.others.end()));
    ASSERT_EQ(found, best);
  });
}

}  // namespace
}  // namespace espalier::tree
