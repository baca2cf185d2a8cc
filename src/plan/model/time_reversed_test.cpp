#include "model/time_reversed.hpp"

#include <gtest/gtest.h>

#include "support/for_all_seeds.hpp"
#include "support/table_model.hpp"
#include "topology/machine_spec.hpp"

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

TEST(TimeReversedReduction, KeepsTheReceiverBusyWithCombiningToo) {
  topology::MachineSpec spec;
  spec.whole.members.resize(2);
  spec.whole.members[1].costs.reduce = bytes_per_second(1'000'000'000'000);  // 1 ps a byte
  const topology::Machine machine = *topology::build_machine(spec);
  TableModel forward(2);
  forward.link(0, 1) = {.send = 1, .wire = 10, .receive = 100};
  const TimeReversedReduction reduction(forward, machine);
  EXPECT_EQ(reduction.cost(1, 0, Bytes{7}), (MessageCost{Time{107}, Time{1}, Time{118}}));
  EXPECT_EQ(reduction.cost(0, 1, Bytes{7}), (MessageCost{}));  // rank 0 combines at no cost
  EXPECT_EQ(reduction.name(), forward.name());
}

}  // namespace
}  // namespace espalier::model
