#include <gtest/gtest.h>

#include "base/contract.hpp"
#include "model/cost_model.hpp"
#include "model/time_reversed.hpp"
#include "support/for_all_seeds.hpp"
#include "support/random_trees.hpp"
#include "support/table_model.hpp"
#include "tree/shapes.hpp"
#include "tree/tree_time.hpp"

namespace espalier::tree {
namespace {

using Sizes = std::vector<Bytes>;

TEST(GatherTime, CarriesTheBytesOfTheWholeSubtree) {
  const TableModel model(4, {.receive_per_byte = 1});
  const Sizes bytes{{1}, {10}, {100}, {1000}};
  EXPECT_EQ(subtree_bytes(chain(everybody(4, 0)), bytes), (Sizes{{1111}, {1110}, {1100}, {1000}}));
  EXPECT_EQ(gather_time(chain(everybody(4, 0)), model, bytes), Time{1000 + 1100 + 1110});
  EXPECT_EQ(gather_time(flat(everybody(4, 0)), model, bytes), Time{1110});
  EXPECT_EQ(gather_time(binomial(everybody(4, 0)), model, bytes), Time{2100});
}

TEST(GatherTime, OfNothingButLatencyIsTheTreesHeight) {
  const TableModel model(16, {.wire = 1});
  EXPECT_EQ(gather_time(binomial(everybody(16, 3)), model, Sizes(16, Bytes{8})), Time{4});
}

TEST(ScatterTime, OccupiesTheSenderForTheBytesOfTheWholeSubtree) {
  const TableModel model(4, {.send_per_byte = 1});
  const Sizes bytes{{1}, {10}, {100}, {1000}};
  EXPECT_EQ(scatter_times(binomial(everybody(4, 0)), model, bytes),
            (std::vector<Time>{Time{0}, Time{1110}, Time{1100}, Time{2100}}));
  EXPECT_EQ(scatter_time(binomial(everybody(4, 0)), model, bytes), Time{2100});
}

TEST(GatherTime, RefusesSizesThatDoNotFitTheTree) {
  const TableModel model(3);
  EXPECT_THROW((void)gather_time(flat(everybody(3, 0)), model, Sizes(2)), ContractViolation);
  EXPECT_THROW((void)scatter_time(flat(everybody(4, 0)), model, Sizes(4)), ContractViolation);
}

TEST(GatherTimeProperty, BackwardsInTimeIsTheScatter) {
  for_all_seeds(500, [](Random& rng) {
    const auto ranks = static_cast<Rank>(rng.between(1, 40));
    const TableModel model = random_table(rng, ranks);
    const CommTree tree = random_tree(rng, random_participants(rng, ranks));
    Sizes bytes(ranks);
    for (Bytes& b : bytes) b.value = rng.below(30);
    ASSERT_EQ(gather_time(tree, model::TimeReversed(model), bytes),
              scatter_time(tree, model, bytes));
    ASSERT_EQ(gather_time(tree, model, bytes),
              scatter_time(tree, model::TimeReversed(model), bytes));
  });
}

}  // namespace
}  // namespace espalier::tree
