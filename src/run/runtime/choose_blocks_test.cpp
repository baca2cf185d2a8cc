#include <gtest/gtest.h>

#include <array>

#include "runtime/plan_cache.hpp"
#include "support/for_all_seeds.hpp"
#include "topology/random_machine.hpp"
#include "topology/readers.hpp"

namespace espalier::runtime {
namespace {

using collective::Hierarchy;
using schedule::Operation;
using select::block_class;
using select::Chooser;
using select::kUnknownBlock;
using topology::Machine;

constexpr std::array kOperations{Operation::Gather, Operation::Scatter, Operation::Allgather,
                                 Operation::Alltoall};

PlanKey key_of(Operation operation, Rank root = 0, std::uint64_t block = kUnknownBlock) {
  return {{operation, root, block, 1, true, true}};
}

TEST(BlockClass, IsSharedByAFactorOfSixteenAndLiesWithin) {
  EXPECT_EQ(block_class(0), block_class(15));
  for (std::uint64_t low = 1; low < (std::uint64_t{1} << 60U); low *= 16) {
    EXPECT_EQ(block_class(low), block_class(16 * low - 1));
    EXPECT_NE(block_class(low), block_class(16 * low));
    EXPECT_GE(block_class(low), low);
    EXPECT_LT(block_class(low), 16 * low);
  }
}

TEST(ChooseIrregular, OneLevelIsNativeUnlessForced) {
  const Machine machine = *topology::parse_synthetic("proc:6(1us)");
  const Hierarchy hierarchy(machine);
  Chooser usual(hierarchy), forcing(hierarchy, {.force = true});
  for (const Operation operation : kOperations) {
    EXPECT_FALSE(make_plan(usual, 0, key_of(operation)).planned);
    EXPECT_TRUE(make_plan(forcing, 0, key_of(operation)).planned);
  }
}

TEST(ChooseIrregular, DirectMessagesOverAnIdleNetworkStayNative) {
  // Nothing costs but the one latency that every plan has to pay.
  const Machine machine = *topology::parse_synthetic("node:2(50us) proc:3(1us)");
  const Hierarchy hierarchy(machine);
  Chooser chooser(hierarchy);
  for (const Operation operation : {Operation::Gather, Operation::Scatter, Operation::Alltoall}) {
    const CachedPlan plan = make_plan(chooser, 0, key_of(operation));
    EXPECT_FALSE(plan.planned) << schedule::name_of(operation) << ": " << plan.name;
  }
  // Native ones pay it again and again.
  EXPECT_TRUE(make_plan(chooser, 0, key_of(Operation::Allgather)).planned);
}

TEST(ChooseIrregular, FarAwayTheSameMessagesGainWithoutHandshakes) {
  const Machine machine = *topology::parse_synthetic("site:2(10ms) proc:3(1us)");
  const Hierarchy hierarchy(machine);
  Chooser chooser(hierarchy);
  for (const Operation operation : {Operation::Gather, Operation::Scatter, Operation::Alltoall}) {
    EXPECT_TRUE(make_plan(chooser, 0, key_of(operation)).planned);
  }
}

TEST(ChooseIrregular, ManyMessagesToARootGain) {
  // The root takes 20 us for each message: one a site is less.
  const Machine machine =
      *topology::parse_synthetic("site:4(1ms,1Gbit/s) proc:64(1us,10Gbit/s,send=20us,recv=20us)");
  const Hierarchy hierarchy(machine);
  Chooser chooser(hierarchy);
  const CachedPlan plan = make_plan(chooser, 0, key_of(Operation::Gather));
  EXPECT_TRUE(plan.planned) << plan.why;
  EXPECT_LT(*plan.predicted, *plan.native_predicted);
}

TEST(ChooseIrregular, ANamedAlgorithmServesIrregularCallsToo) {
  const Machine machine = *topology::parse_synthetic("site:2(10ms) proc:4(1us)");
  const Hierarchy hierarchy(machine);
  Chooser chooser(hierarchy, {.named = {{Operation::Gather, "binomial"}}});
  EXPECT_EQ(make_plan(chooser, 3, key_of(Operation::Gather, 2)).name, "binomial");
}

TEST(ChooseIrregularProperty, RootsAndRanksChooseAlikeWhateverTheyAskedBefore) {
  for_all_seeds(40, [](Random& rng) {
    const Machine machine = topology::random_machine(rng.next(), {2, 12, 3, true});
    const Hierarchy hierarchy(machine);
    Chooser one(hierarchy, {.force = true}), other(hierarchy, {.force = true});
    for (int i = 0; i < 6; ++i) {
      const Operation operation = kOperations[rng.below(kOperations.size())];
      const auto root = static_cast<Rank>(rng.below(machine.size()));
      const auto rank = static_cast<Rank>(rng.below(machine.size()));
      const PlanKey key = key_of(operation, root);
      const CachedPlan a = make_plan(one, rank, key);
      const CachedPlan b = make_plan(other, 0, key_of(operation, 0));
      EXPECT_EQ(a.name, b.name);
      EXPECT_EQ(a.signature, make_plan(other, 0, key).signature);
    }
  });
}

}  // namespace
}  // namespace espalier::runtime
