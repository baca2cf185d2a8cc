#include "topology/message_costs.hpp"

#include <gtest/gtest.h>

#include "base/contract.hpp"
#include "support/for_all_seeds.hpp"
#include "topology/random_machine.hpp"

namespace espalier::topology {
namespace {

TEST(MessageCosts, ChangeTheFixedCostsOfTheirRanksOnly) {
  for_all_seeds(100, [](Random& random) {
    const Machine machine = random_machine(random.next());
    const auto rank = static_cast<Rank>(random.below(machine.size()));
    const MessageCost change{rank, microseconds(777)};
    const Machine changed = with_message_costs(machine, std::vector{change});
    ASSERT_EQ(changed.size(), machine.size());
    EXPECT_EQ(changed.costs(rank).send.fixed, microseconds(777));
    EXPECT_EQ(changed.costs(rank).recv.fixed, microseconds(777));
    EXPECT_EQ(changed.costs(rank).send.rate, machine.costs(rank).send.rate);
    for (Rank r = 0; r < machine.size(); ++r) {
      if (r != rank) {
        EXPECT_EQ(changed.costs(r), machine.costs(r));
      }
      EXPECT_EQ(changed.path(rank, r), machine.path(rank, r));
      EXPECT_EQ(changed.describe(r), machine.describe(r));
    }
    EXPECT_EQ(changed.levels().size(), machine.levels().size());
  });
}

TEST(MessageCosts, TheLastEntryOfARankCounts) {
  const Machine machine = random_machine(3);
  const Machine changed = with_message_costs(
      machine, std::vector{MessageCost{0, microseconds(5)}, MessageCost{0, microseconds(7)}});
  EXPECT_EQ(changed.costs(0).send.fixed, microseconds(7));
  EXPECT_THROW((void)with_message_costs(machine, std::vector{MessageCost{machine.size(), Time{}}}),
               ContractViolation);
}

}  // namespace
}  // namespace espalier::topology
