#include "cost/round_loads.hpp"

#include <gtest/gtest.h>

#include "support/for_all_seeds.hpp"
#include "topology/random_machine.hpp"

namespace espalier::cost {
namespace {

// Told by innermost clusters or message by message, a round carries the same.
TEST(RoundLoadsProperty, AllToSomeIsTheSumOfItsMessages) {
  for_all_seeds(200, [](Random& rng) {
    const topology::Machine machine = topology::random_machine(rng.next());
    const CostView cost_view(machine);
    std::vector<Rank> members, targets;
    for (Rank r = 0; r < machine.size(); ++r) {
      if (rng.below(4) != 0) members.push_back(r);
    }
    std::vector<double> bytes;
    for (const Rank r : members) {
      if (rng.below(2) != 0) continue;
      targets.push_back(r);
      bytes.push_back(static_cast<double>(rng.between(1, 100000)));
    }
    if (targets.empty()) return;
    RoundLoads at_once(cost_view), one_by_one(cost_view);
    at_once.add_all(members, targets, bytes);
    for (const Rank from : members) {
      for (std::size_t i = 0; i < targets.size(); ++i) {
        if (from != targets[i]) one_by_one.add(from, targets[i], bytes[i]);
      }
    }
    ASSERT_LE(at_once.latency(), one_by_one.latency());
    ASSERT_NEAR(at_once.busiest(), one_by_one.busiest(), 1e-9 * one_by_one.busiest());
    for (std::size_t r = 0; r < cost_view.resources(); ++r) {
      ASSERT_NEAR(at_once.carried()[r], one_by_one.carried()[r],
                  1e-9 * (1 + one_by_one.carried()[r]));
    }
    for (Rank r = 0; r < machine.size(); ++r) {
      ASSERT_EQ(at_once.receives(r), one_by_one.receives(r));
    }
  });
}

TEST(RoundLoadsProperty, AScanIsTheSumOfItsMessages) {
  for_all_seeds(200, [](Random& rng) {
    const topology::Machine machine = topology::random_machine(rng.next());
    const CostView cost_view(machine);
    std::vector<Rank> members;
    for (Rank r = 0; r < machine.size(); ++r) {
      if (rng.below(4) != 0) members.push_back(r);
    }
    const auto bytes = static_cast<double>(rng.between(1, 100000));
    RoundLoads at_once(cost_view), one_by_one(cost_view);
    at_once.add_scan(members, bytes);
    for (std::size_t i = 0; i < members.size(); ++i) {
      for (std::size_t k = i + 1; k < members.size(); ++k) {
        one_by_one.add(members[i], members[k], bytes);
      }
    }
    ASSERT_LE(at_once.latency(), one_by_one.latency());
    ASSERT_GE(at_once.busiest(), (1 - 1e-9) * one_by_one.busiest());  // they are combined, too
    for (std::size_t r = 0; r < cost_view.resources(); ++r) {
      ASSERT_NEAR(at_once.carried()[r], one_by_one.carried()[r],
                  1e-9 * (1 + one_by_one.carried()[r]));
    }
    for (Rank r = 0; r < machine.size(); ++r) {
      ASSERT_EQ(at_once.receives(r), one_by_one.receives(r));
    }
  });
}

}  // namespace
}  // namespace espalier::cost
