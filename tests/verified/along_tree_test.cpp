#include "collective/along_tree.hpp"

#include <gtest/gtest.h>

#include <set>

#include "base/contract.hpp"
#include "support/crossings.hpp"
#include "support/for_all_seeds.hpp"
#include "support/multilevel_cases.hpp"
#include "topology/readers.hpp"

namespace espalier::collective {
namespace {

using schedule::Collective;
using schedule::Operation;
using namespace testing_support;

TEST(AlongTreeProperty, IsVerifiedForEveryAlgorithmThatCanDoIt) {
  std::set<std::pair<Operation, std::string_view>> done;
  const bool ran_all = for_all_seeds(300, [&](Random& rng) {
    const topology::Machine machine = some_machine(rng);
    for (const FlatAlgorithm& algorithm : flat_algorithms()) {
      const Collective call = some_call(rng, algorithm.operation, machine.size());
      if (!along_tree_supports(machine, algorithm, call)) continue;
      done.insert({algorithm.operation, algorithm.name});
      const std::uint64_t segment = rng.below(5);
      ASSERT_EQ(complaint_of(schedule_of(call, std::string(algorithm.name),
                                         [&](Rank rank) {
                                           return along_tree_program(machine, algorithm, call, rank,
                                                                     segment);
                                         })),
                "")
          << algorithm.name;
    }
  });
  if (ran_all) {
    EXPECT_EQ(done.size(), 17u);
  }
}

TEST(AlongTreeProperty, ARingEntersEachClusterOnce) {
  const FlatAlgorithm& ring = *find_flat_algorithm(Operation::Allgather, "ring");
  for_all_seeds(200, [&](Random& rng) {
    const topology::Machine machine = some_machine(rng);
    Collective call{Operation::Allgather, machine.size(), 0, 3, Bytes{1}, true, {}};
    if (!along_tree_supports(machine, ring, call)) return;
    const auto plan = schedule_of(
        call, "ring", [&](Rank rank) { return along_tree_program(machine, ring, call, rank); });
    // Around once: into each member of the whole, if it has more than one, P - 1 messages.
    const std::uint64_t members = machine.clusters().front().member_count;
    auto traffic = traffic_of(machine, plan);
    ASSERT_EQ(traffic[0].messages, members > 1 ? members * (machine.size() - 1) : 0);
  });
}

TEST(AlongTree, IsForRanksThatDoNotLieInOrder) {
  const FlatAlgorithm& ring = *find_flat_algorithm(Operation::Allreduce, "ring");
  const topology::Machine block = *topology::parse_synthetic("site:2(1ms) proc:3(1us)");
  const topology::Machine cyclic = with_placement(block, cyclic_placement(block));
  Collective call{Operation::Allreduce, 6, 0, 10, Bytes{1}, true, {}};
  EXPECT_FALSE(along_tree_supports(block, ring, call));
  EXPECT_TRUE(along_tree_supports(cyclic, ring, call));
  call.commutative = false;
  EXPECT_FALSE(along_tree_supports(cyclic, ring, call));
  EXPECT_THROW((void)along_tree_program(cyclic, ring, call, 0), ContractViolation);
}

}  // namespace
}  // namespace espalier::collective
