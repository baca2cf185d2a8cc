// No candidate of any operation is simulated faster than the lower bound, on random machines.
#include <gtest/gtest.h>

#include "bound/lower_bound.hpp"
#include "select/score.hpp"
#include "support/for_all_seeds.hpp"
#include "topology/random_machine.hpp"
#include "topology/read_json.hpp"
#include "topology/synthetic.hpp"

namespace espalier {
namespace {

using schedule::Collective;
using schedule::Operation;

TEST(LowerBoundProperty, NoCandidateIsSimulatedFaster) {
  for_all_seeds(400, [](Random& rng) {
    const topology::Machine machine = topology::random_machine(rng.next(), {1, 14, 4, true});
    const collective::Hierarchy hierarchy(machine);
    const Collective call{static_cast<Operation>(rng.below(schedule::kOperationCount)),
                          machine.size(),
                          static_cast<Rank>(rng.below(machine.size())),
                          rng.below(rng.chance(50) ? 10 : 20'000),
                          Bytes{8},
                          rng.chance(60),
                          {}};
    const bound::LowerBound least = bound::lower_bound(machine, call);
    for (const select::Scored& s :
         select::score(select::candidates(hierarchy, call), call, machine, {})) {
      ASSERT_GE(s.result.finish, least.value) << name_of(call.operation) << " " << s.candidate.name
                                              << ": " << describe(least.witness, machine);
    }
  });
}

Time bound_of(Operation operation, std::uint64_t bytes) {
  const topology::Machine machine =
      *topology::parse_synthetic("site:2(30ms,100Mbit/s) machine:1|2(500us,1Gbit/s) proc:16(5us)");
  return bound::lower_bound(machine, {operation, 48, 0, bytes, Bytes{1}, true, {}}).value;
}

TEST(LowerBound, IsLatencyPlusBytesOverTheWanOnTheThreeMachineGrid) {
  EXPECT_EQ(bound_of(Operation::Barrier, 0), milliseconds(30));
  EXPECT_EQ(bound_of(Operation::Broadcast, 1'250'000), milliseconds(130));
  EXPECT_EQ(bound_of(Operation::Reduce, 1'250'000), milliseconds(130));
  EXPECT_EQ(bound_of(Operation::Allreduce, 1'250'000), milliseconds(130));
  EXPECT_EQ(bound_of(Operation::Allgather, 12'500), milliseconds(30 + 32));  // 32 blocks inwards
}

TEST(LowerBound, CountsEveryRunOfRanksThatMayNotBeCombined) {
  const topology::Machine machine =
      *topology::parse_synthetic("site:2(1ms,8Mbit/s) proc:4(1us) placement=cyclic");
  Collective call{Operation::Reduce, 8, 0, 1000, Bytes{1}, true, {}};
  EXPECT_EQ(bound::lower_bound(machine, call).value, milliseconds(2));
  call.commutative = false;  // ranks 1, 3, 5, 7 are four runs
  EXPECT_EQ(bound::lower_bound(machine, call).value, milliseconds(5));
}

TEST(LowerBound, KnowsThatARelayMayBeNearer) {
  const auto machine = topology::read_json(
      R"({"format": "espalier-machine-1", "levels": [{"latency": "10 ms"}], "processes": 3,
          "pairs": [{"between": [0, 2], "latency": "50 ms"}]})",
      "m.json");
  ASSERT_TRUE(machine) << machine.error();
  const Collective call{Operation::Broadcast, 3, 0, 1, Bytes{1}, true, {}};
  EXPECT_EQ(bound::lower_bound(*machine, call).value, milliseconds(20));
}

}  // namespace
}  // namespace espalier
