// Communicators of all processes, in order, plan for the world's own machine instead of a copy.
#include <gtest/gtest.h>

#include <numeric>

#include "support/for_all_seeds.hpp"
#include "topology/random_machine.hpp"
#include "topology/views.hpp"

namespace espalier::runtime {
namespace {

/// Restricting a machine to all of its processes changes nothing, if its outermost level joins
/// something.
TEST(WholeMachineProperty, IsWhatAGroupOfAllProcessesSees) {
  for_all_seeds(200, [](Random& rng) {
    const topology::Machine machine = topology::random_machine(rng.next(), {2, 40, 4, true});
    std::vector<Rank> all(machine.size());
    std::iota(all.begin(), all.end(), Rank{0});
    const topology::Machine seen = topology::restrict_machine(machine, all);
    if (machine.clusters().front().member_count >= 2) {
      ASSERT_EQ(seen, machine);
    }
  });
}

}  // namespace
}  // namespace espalier::runtime
