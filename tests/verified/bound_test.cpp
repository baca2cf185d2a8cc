// No candidate of any operation is simulated faster than the lower bound, on random machines.
#include <gtest/gtest.h>

#include "bound/lower_bound.hpp"
#include "select/predict.hpp"
#include "select/rank_by_simulation.hpp"
#include "support/flat_calls.hpp"
#include "support/for_all_seeds.hpp"
#include "topology/random_machine.hpp"
#include "topology/readers.hpp"

namespace espalier {
namespace {

using schedule::Collective;
using schedule::Operation;

/// Any operation, root and size; every other one that has blocks with lengths of their own, among
/// them none.
Collective random_call(Random& rng, const topology::Machine& machine) {
  const auto operation = static_cast<Operation>(rng.below(schedule::kOperationCount));
  const std::uint64_t most = rng.chance(50) ? 10 : 20'000;
  Collective call{operation,
                  machine.size(),
                  static_cast<Rank>(rng.below(machine.size())),
                  rng.below(most),
                  Bytes{8},
                  rng.chance(60),
                  {}};
  if (!testing_support::has_blocks(operation) || rng.chance(50)) return call;
  call.counts.resize(operation == Operation::Alltoall ? machine.size() * machine.size()
                                                      : machine.size());
  for (std::uint64_t& count : call.counts) count = rng.chance(30) ? 0 : rng.below(most);
  return call;
}

void check_no_candidate_is_faster(Random& rng, const sim::SimOptions& options) {
  const topology::Machine machine = topology::random_machine(rng.next(), {1, 14, 4, true});
  const collective::Hierarchy hierarchy(machine);
  const Collective call = random_call(rng, machine);
  const bound::LowerBound least = bound::lower_bound(machine, call);
  for (const select::Scored& s :
       select::score(select::candidates(hierarchy, call), call, machine, options)) {
    ASSERT_GE(s.result.finish, least.value)
        << testing_support::name_of_call(call) << ", " << s.candidate.name << ": "
        << describe(least.witness, machine);
  }
}

TEST(LowerBoundProperty, NoCandidateIsSimulatedFaster) {
  for_all_seeds(1000, [](Random& rng) { check_no_candidate_is_faster(rng, {}); });
}

TEST(LowerBoundProperty, NorWithOneBottleneckAMessage) {
  sim::SimOptions options;
  options.sharing = sim::Sharing::OneBottleneck;
  for_all_seeds(500, [&](Random& rng) { check_no_candidate_is_faster(rng, options); });
}

/// Above 64 ranks only some of the steps of pairwise exchanges are worked out: one stands for its
/// neighbours, which is less than a thousandth off.
TEST(LowerBound, IsNotAboveEstimatesAmongManyRanks) {
  for (const char* text :
       {"node:8(5us,1Gbit/s) proc:20(1us,1Gbit/s,send=1us)",
        "node:8(5us,1Gbit/s) proc:20(1us,1Gbit/s,send=1us) placement=cyclic",
        "node:10(5us,1Gbit/s) proc:30(1us,1Gbit/s,send=1us)",
        "site:3(1ms,1Gbit/s) node:5(5us,10Gbit/s) proc:7(1us,40Gbit/s,recv=1us)"}) {
    const topology::Machine machine = *topology::parse_synthetic(text);
    const collective::Hierarchy hierarchy(machine);
    const select::CostView cost_view(machine);
    for (const Operation operation : {Operation::Alltoall, Operation::ReduceScatter}) {
      const Collective call{operation, machine.size(), 0, 1'000'000, Bytes{1}, true, {}};
      const bound::LowerBound least = bound::lower_bound(machine, call);
      for (const select::Candidate& candidate : select::candidates(hierarchy, call)) {
        const Time predicted = select::predict(candidate.plan, cost_view, hierarchy, call);
        EXPECT_GE(predicted.picoseconds, least.value.picoseconds / 1000 * 999)
            << text << ", " << schedule::name_of(operation) << ", " << candidate.name;
      }
    }
  }
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
  // Ranks 1, 3, 5, 7 are four runs; two may go to the root's side and two of its own come over.
  call.commutative = false;
  EXPECT_EQ(bound::lower_bound(machine, call).value, milliseconds(3));
}

TEST(LowerBound, KnowsThatTheRootHasToReceiveEverything) {
  const auto machine = topology::parse_synthetic("proc:9(10us,recv=2us+1MB/s)");
  const Collective call{Operation::Gather, 9, 0, 100, Bytes{1}, true, {}};
  const bound::LowerBound least = bound::lower_bound(*machine, call);
  EXPECT_EQ(least.value, microseconds(10 + 2 + 800));
  EXPECT_EQ(describe(least.witness, *machine),
            "rank 0 itself must receive 800 B, nothing arrives before 10 us");
}

TEST(LowerBound, KnowsHowFastMessagesMultiply) {
  // 1, 2, 4, 8 ranks know it after each message if latency is nothing.
  const auto machine = topology::parse_synthetic("proc:8(send=5us)");
  const Collective call{Operation::Broadcast, 8, 3, 1, Bytes{1}, true, {}};
  EXPECT_EQ(bound::lower_bound(*machine, call).value, microseconds(15));
}

TEST(LowerBound, AddsUpTheFlowsOfARank) {
  const auto machine = topology::parse_synthetic("proc:3(cap=8Mbit/s)");
  const Collective call{Operation::Gather, 3, 0, 1000, Bytes{1}, true, {}};
  EXPECT_EQ(bound::lower_bound(*machine, call).value, milliseconds(1));
}

TEST(LowerBound, LooksAtUnionsOfMembersWithLinksOfTheirOwn) {
  // A square whose four links across are slow: no single rank is cut off, a side of two is.
  const auto machine = topology::read_json(
      R"({"format": "espalier-machine-1", "levels": [{"name": "net"}], "processes": 4,
          "pairs": [{"between": [0, 1], "latency": "0 us", "capacity": "1 Gbit/s"},
                    {"between": [2, 3], "latency": "0 us", "capacity": "1 Gbit/s"},
                    {"between": [0, 2], "latency": "0 us", "capacity": "8 Mbit/s"},
                    {"between": [0, 3], "latency": "0 us", "capacity": "8 Mbit/s"},
                    {"between": [1, 2], "latency": "0 us", "capacity": "8 Mbit/s"},
                    {"between": [1, 3], "latency": "0 us", "capacity": "8 Mbit/s"}]})",
      "square.json");
  ASSERT_TRUE(machine) << machine.error();
  const Collective call{Operation::Allgather, 4, 0, 1000, Bytes{1}, true, {}};
  const bound::LowerBound least = bound::lower_bound(*machine, call);
  EXPECT_EQ(least.value, microseconds(500));  // 2000 bytes over 32 Mbit/s
  EXPECT_EQ(least.witness.members.size(), 2U);
}

TEST(LowerBound, CountsTheBytesThatCrossABackboneOnceForEachMember) {
  const auto machine = topology::parse_synthetic("proc:5(backbone=8Mbit/s)");
  const Collective call{Operation::Broadcast, 5, 0, 1000, Bytes{1}, true, {}};
  EXPECT_EQ(bound::lower_bound(*machine, call).value, milliseconds(4));
}

TEST(LowerBound, GoesByTheBlocksThatAreThere) {
  const auto machine = topology::parse_synthetic("proc:3(1ms,8Mbit/s)");
  Collective call{Operation::Gather, 3, 0, 0, Bytes{1}, true, {7000, 0, 500}};
  EXPECT_EQ(bound::lower_bound(*machine, call).value, microseconds(1500));
  call.counts = {7000, 0, 0};
  EXPECT_EQ(bound::lower_bound(*machine, call).value, Time{0});
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
