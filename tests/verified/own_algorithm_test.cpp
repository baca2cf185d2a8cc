// A table of algorithms with one of the test's own: proposed, estimated or simulated, verified,
// run, named, read back and listed like all others.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "select/chooser.hpp"
#include "support/check_schedule.hpp"
#include "topology/readers.hpp"
#include "verify/verify.hpp"

namespace espalier::select {
namespace {

using collective::Hierarchy;
using collective::Parameters;
using collective::PartOf;
using schedule::Collective;
using schedule::Operation;

/// The root tells its neighbour by number, which tells all others. A wrong one forgets the last.
template <bool kForgets>
PartOf gossip(const Hierarchy&, const Collective& call, const Parameters&) {
  return [&call](Rank rank) {
    const auto message = schedule::slice(schedule::Buffer::Out, 0, call.count);
    const Rank teller = (call.root + 1) % call.size;
    schedule::ProgramBuilder program(rank);
    if (rank == call.root) {
      program.send(teller, message);
      return std::move(program).build();
    }
    program.recv(rank == teller ? call.root : teller, message);
    const Rank told = call.size - (kForgets ? 3 : 2);
    for (Rank step = 1; rank == teller && step <= told; ++step) {
      program.send((teller + step) % call.size, message);
    }
    return std::move(program).build();
  };
}

cost::Picos seven_microseconds(const cost::CostView&, const Hierarchy&, const Collective&,
                               const Parameters&) {
  return 7e6;
}

constexpr Algorithm made(decltype(Algorithm::build) build, decltype(Algorithm::estimate) estimate) {
  return {.name = "gossip",
          .source = "over the neighbour's fence",
          .operations = {Operation::Broadcast},
          .build = build,
          .estimate = estimate};
}

class OwnAlgorithm : public testing::Test {
 protected:
  const topology::Machine machine_ = *topology::parse_synthetic("site:2(1ms) proc:4(5us)");
  const Hierarchy hierarchy_{machine_};
  const Collective call_{Operation::Broadcast, 8, 2, 1000, Bytes{1}, true, {}};
  static constexpr Algorithm kGossip = made(gossip<false>, seven_microseconds);
  static constexpr Algorithm kSlowGossip = made(gossip<false>, nullptr);
  static constexpr Algorithm kForgetful = made(gossip<true>, seven_microseconds);
  static constexpr const Algorithm* kEstimated[]{&kGossip};
  static constexpr const Algorithm* kSimulated[]{&kSlowGossip};
  static constexpr const Algorithm* kWrong[]{&kForgetful};

  [[nodiscard]] schedule::Schedule schedule(AlgorithmTable table) const {
    return schedule_of(candidates(hierarchy_, call_, Bits::Any, table).front(), call_);
  }
};

TEST_F(OwnAlgorithm, IsProposedNamedAndReadBack) {
  const auto all = candidates(hierarchy_, call_, Bits::Any, kEstimated);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.front().name, "gossip");
  EXPECT_EQ(all.front().why, "over the neighbour's fence");
  EXPECT_EQ(plan_named("gossip", hierarchy_, call_, kEstimated), all.front().plan);
  EXPECT_FALSE(plan_named("gossip", hierarchy_, call_)) << "in the program's own table";
  Collective other = call_;
  other.operation = Operation::Barrier;
  EXPECT_TRUE(candidates(hierarchy_, other, Bits::Any, kEstimated).empty());
}

TEST_F(OwnAlgorithm, IsEstimatedOrSimulated) {
  const CostView cost_view(machine_);
  const auto time = [&](AlgorithmTable table) {
    return ranking(hierarchy_, cost_view, call_, Bits::Any, Roots::Own, table).front().predicted;
  };
  EXPECT_EQ(time(kEstimated), microseconds(7));
  // To the teller on the same site, then over the WAN.
  EXPECT_EQ(time(kSimulated), microseconds(1005));
}

TEST_F(OwnAlgorithm, IsVerifiedAndRun) {
  EXPECT_TRUE(verify::verify(schedule(kEstimated)).ok());
  EXPECT_EQ(testing_support::check_schedule(schedule(kEstimated), 1), "");
  EXPECT_FALSE(verify::verify(schedule(kWrong)).ok());
  EXPECT_NE(testing_support::check_schedule(schedule(kWrong), 1), "");
}

TEST_F(OwnAlgorithm, IsChosenAndListedBesideTheOthers) {
  std::vector<const Algorithm*> table(algorithms().begin(), algorithms().end());
  table.push_back(kSimulated[0]);
  const auto listed = ranking(hierarchy_, CostView(machine_), call_, Bits::Any, Roots::Own, table);
  EXPECT_EQ(std::count_if(listed.begin(), listed.end(),
                          [&](const Choice& one) { return name_of(one.plan, call_) == "gossip"; }),
            1);
  Chooser only(hierarchy_, {}, {}, kSimulated);
  const PlanChoice choice = only.choose(call_, WhichPlan::Best);
  EXPECT_EQ(choice.name, "gossip");
  EXPECT_EQ(own_part(choice, hierarchy_, call_, 2).ops.size(), 1U);
  Rules named;
  named.named[Operation::Broadcast] = "gossip";
  EXPECT_EQ(Chooser(hierarchy_, named, {}, table).choose(call_).name, "gossip");
  Collective other = call_;
  other.operation = Operation::Barrier;
  EXPECT_FALSE(only.choose(other, WhichPlan::Best).planned());
}

}  // namespace
}  // namespace espalier::select
