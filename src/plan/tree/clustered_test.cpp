#include <gtest/gtest.h>

#include "base/contract.hpp"
#include "model/machine_models.hpp"
#include "support/for_all_seeds.hpp"
#include "support/random_blocks.hpp"
#include "support/random_trees.hpp"
#include "topology/random_machine.hpp"
#include "topology/readers.hpp"
#include "tree/irregular_trees.hpp"

namespace espalier::tree {
namespace {

TEST(Clustered, SendsEachSiteAsManyMessagesAsItHasCarriersTheFarOnesFirst) {
  const auto machine = *topology::parse_synthetic(
      "site:3(10ms,100Mbit/s) node:4(50us,1Gbit/s) proc:2(1us) placement=cyclic");
  const model::Levels model(machine);
  const std::vector<Bytes> bytes(24, Bytes{100});
  const Participants who = everybody(24, 5);
  for (const Rank carriers : {1U, 3U}) {
    const CommTree tree = clustered({who, bytes, model}, machine, {carriers, false});
    Rank crossings = 0;
    for (Rank r = 0; r < 24; ++r) {
      if (r != 5) crossings += machine.path(tree.parent(r), r).level == 0 ? 1 : 0;
    }
    EXPECT_EQ(crossings, 2 * carriers);
    std::uint32_t before = 0;
    for (const Rank c : tree.children(5)) {
      const std::uint32_t level = machine.path(5, c).level;
      EXPECT_GE(level, before);
      before = level;
    }
  }
}

TEST(Clustered, RefusesNoCarriers) {
  const auto machine = *topology::parse_synthetic("proc:3(1us)");
  const model::Levels model(machine);
  const Participants who = everybody(3, 0);
  const std::vector<Bytes> bytes(3, Bytes{1});
  EXPECT_THROW((void)clustered({who, bytes, model}, machine, {0, false}), ContractViolation);
}

TEST(ClusteredProperty, SpansOnEveryMachine) {
  for_all_seeds(300, [](Random& rng) {
    const topology::Machine machine = topology::random_machine(rng.next(), {1, 80});
    const model::Levels model(machine);
    const std::vector<Bytes> bytes = random_blocks(rng, machine.size());
    const Participants who = with_blocks(bytes, static_cast<Rank>(rng.below(machine.size())));
    const Clustering how{static_cast<Rank>(rng.between(1, 9)), rng.chance(50)};
    ASSERT_TRUE(spans(clustered({who, bytes, model}, machine, how), who));
  });
}

}  // namespace
}  // namespace espalier::tree
