#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "base/contract.hpp"
#include "support/crossings.hpp"
#include "support/flat_schedules.hpp"
#include "support/for_all_seeds.hpp"
#include "support/multilevel_cases.hpp"
#include "topology/readers.hpp"

namespace espalier::collective {
namespace {

using schedule::Collective;
using schedule::Operation;
using namespace testing_support;

/// The plan of a classical algorithm along the machine, if it can do the call so.
std::optional<schedule::Schedule> along(const Hierarchy& hierarchy, const Algorithm& algorithm,
                                        const Collective& call) {
  if (!serves(algorithm, hierarchy, call, RankOrder::AlongTree)) return std::nullopt;
  return schedule_of(call, std::string(algorithm.name),
                     algorithm.build(hierarchy, call, RankOrder::AlongTree));
}

TEST(AlongTreeProperty, IsVerifiedForEveryAlgorithmThatCanDoIt) {
  std::set<std::pair<Operation, std::string_view>> done;
  const bool ran_all = for_all_seeds(300, [&](Random& rng) {
    const topology::Machine machine = some_machine(rng);
    const Hierarchy hierarchy(machine);
    for (int o = 0; o < schedule::kOperationCount; ++o) {
      const auto operation = static_cast<Operation>(o);
      for (const Algorithm* algorithm : flat_algorithms(operation)) {
        const Collective call = some_call(rng, operation, machine.size());
        const auto plan = along(hierarchy, *algorithm, call);
        if (!plan) continue;
        done.insert({operation, algorithm->name});
        ASSERT_EQ(complaint_of(*plan), "") << algorithm->name;
      }
    }
  });
  if (ran_all) {
    EXPECT_EQ(done.size(), 17u);
  }
}

TEST(AlongTreeProperty, ARingEntersEachClusterOnce) {
  const Algorithm& ring = *find_algorithm(Operation::Allgather, "ring");
  for_all_seeds(200, [&](Random& rng) {
    const topology::Machine machine = some_machine(rng);
    Collective call{Operation::Allgather, machine.size(), 0, 3, Bytes{1}, true, {}};
    const Hierarchy hierarchy(machine);
    const auto plan = along(hierarchy, ring, call);
    if (!plan) return;
    // Around once: into each member of the whole, if it has more than one, P - 1 messages.
    const std::uint64_t members = machine.clusters().front().member_count;
    auto traffic = traffic_of(machine, *plan);
    ASSERT_EQ(traffic[0].messages, members > 1 ? members * (machine.size() - 1) : 0);
  });
}

TEST(AlongTree, IsForRanksThatDoNotLieInOrder) {
  const Algorithm& ring = *find_algorithm(Operation::Allreduce, "ring");
  const topology::Machine block = *topology::parse_synthetic("site:2(1ms) proc:3(1us)");
  const topology::Machine cyclic = with_placement(block, cyclic_placement(block));
  Collective call{Operation::Allreduce, 6, 0, 10, Bytes{1}, true, {}};
  EXPECT_FALSE(serves(ring, Hierarchy(block), call, RankOrder::AlongTree));
  EXPECT_TRUE(serves(ring, Hierarchy(cyclic), call, RankOrder::AlongTree));
  call.commutative = false;
  EXPECT_FALSE(serves(ring, Hierarchy(cyclic), call, RankOrder::AlongTree));
}

}  // namespace
}  // namespace espalier::collective
