#include "topology/views.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/contract.hpp"
#include "support/for_all_seeds.hpp"
#include "topology/random_machine.hpp"
#include "topology/readers.hpp"

namespace espalier::topology {
namespace {

std::vector<Rank> some_ranks(Random& rng, Rank size) {
  std::vector<Rank> ranks(size);
  for (Rank r = 0; r < size; ++r) ranks[r] = r;
  rng.shuffle(std::span(ranks));
  ranks.resize(1 + rng.below(size));
  return ranks;
}

TEST(SubmachineProperty, KeepsPathsCostsAndDepths) {
  for_all_seeds(300, [](Random& rng) {
    const Machine machine = random_machine(rng.next());
    const auto ranks = some_ranks(rng, machine.size());
    const Machine part = submachine(machine, ranks);
    ASSERT_EQ(part.size(), ranks.size());
    for (Rank a = 0; a < part.size(); ++a) {
      ASSERT_EQ(part.costs(a), machine.costs(ranks[a]));
      ASSERT_EQ(part.depth(a), machine.depth(ranks[a]));
      for (Rank b = 0; b < part.size(); ++b) {
        ASSERT_EQ(part.path(a, b), machine.path(ranks[a], ranks[b]));
      }
    }
  });
}

TEST(WithSpeeds, ChangesSpeedsAndNothingElse) {
  for_all_seeds(100, [](Random& rng) {
    const Machine machine = random_machine(rng.next());
    std::vector<std::uint64_t> speeds;
    for (Rank r = 0; r < machine.size(); ++r) speeds.push_back(1 + rng.below(3'000'000));
    const Machine changed = with_speeds(machine, speeds);
    std::vector<std::uint64_t> before;
    for (Rank r = 0; r < machine.size(); ++r) {
      ASSERT_EQ(changed.costs(r).speed_millionths, speeds[r]);
      before.push_back(machine.costs(r).speed_millionths);
    }
    ASSERT_EQ(with_speeds(changed, before), with_speeds(machine, before));
    ASSERT_THROW((void)with_speeds(machine, std::vector<std::uint64_t>(machine.size(), 0)),
                 ContractViolation);
  });
}

TEST(SubmachineProperty, OfAllRanksIsTheMachineItself) {
  for_all_seeds(100, [](Random& rng) {
    const Machine machine = random_machine(rng.next());
    std::vector<Rank> all(machine.size());
    for (Rank r = 0; r < machine.size(); ++r) all[r] = r;
    const Machine same = submachine(machine, all);
    ASSERT_TRUE(std::ranges::equal(same.clusters(), machine.clusters()));
    ASSERT_TRUE(std::ranges::equal(same.placement(), machine.placement()));
    ASSERT_TRUE(std::ranges::equal(same.levels(), machine.levels()));
  });
}

TEST(Submachine, LeavesOutClustersWithoutMembers) {
  const Machine machine = *parse_synthetic("site:3(30ms) node:2(1ms) proc:2(1us)");
  const Rank ranks[] = {11, 0};
  const Machine part = submachine(machine, ranks);
  EXPECT_EQ(part.clusters().front().member_count, 2u);
  EXPECT_EQ(part.clusters().size(), 5u);  // the whole, two sites of one node each
  EXPECT_EQ(part.levels().size(), 3u);
}

TEST(Submachine, RefusesRanksThatAreNotThereOrTwice) {
  const Machine machine = *parse_synthetic("node:2(1ms) proc:2(1us)");
  const Rank twice[] = {1, 1};
  const Rank beyond[] = {4};
  EXPECT_THROW((void)submachine(machine, {}), ContractViolation);
  EXPECT_THROW((void)submachine(machine, twice), ContractViolation);
  EXPECT_THROW((void)submachine(machine, beyond), ContractViolation);
}

TEST(TwoLevelViewProperty, JoinsExactlyTheRanksOfOneClusterOfThatDepth) {
  for_all_seeds(300, [](Random& rng) {
    const Machine machine = random_machine(rng.next());
    const auto depth = static_cast<std::uint32_t>(1 + rng.below(4));
    const Machine view = two_level_view(machine, depth);
    ASSERT_EQ(view.size(), machine.size());
    ASSERT_LE(view.levels().size(), 2u);
    ASSERT_TRUE(std::ranges::equal(view.placement(), machine.placement()));
    for (Rank a = 0; a < view.size(); ++a) {
      ASSERT_EQ(view.costs(a), machine.costs(a));
      for (Rank b = 0; b < a; ++b) {
        const bool together = machine.path(a, b).level >= depth;
        ASSERT_EQ(view.path(a, b).level, together ? 1u : 0u);
      }
    }
  });
}

TEST(TwoLevelView, RefusesTheWholeMachine) {
  const Machine machine = *parse_synthetic("node:2(1ms) proc:2(1us)");
  EXPECT_THROW((void)two_level_view(machine, 0), ContractViolation);
}

}  // namespace
}  // namespace espalier::topology
