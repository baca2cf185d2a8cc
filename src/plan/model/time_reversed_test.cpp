#include "model/time_reversed.hpp"

#include <gtest/gtest.h>

#include "support/for_all_seeds.hpp"
#include "support/table_model.hpp"

namespace espalier::model {
namespace {

TEST(TimeReversed, ChangesTheRolesOfTheTwoEnds) {
  TableModel forward(2);
  forward.link(0, 1) = {.send = 1, .wire = 10, .receive = 100};
  EXPECT_EQ(TimeReversed(forward).cost(1, 0, Bytes{0}),
            (MessageCost{Time{100}, Time{1}, Time{111}}));
}

TEST(TimeReversedProperty, UndoesItself) {
  for_all_seeds(20, [](Random& rng) {
    const TableModel forward = random_table(rng, 5);
    const TimeReversed backward(forward);
    const TimeReversed again(static_cast<const CostModel&>(backward));
    for (Rank i = 0; i < 5; ++i) {
      for (Rank j = 0; j < 5; ++j) {
        ASSERT_EQ(again.cost(i, j, Bytes{7}), forward.cost(i, j, Bytes{7}));
      }
    }
  });
}

}  // namespace
}  // namespace espalier::model
