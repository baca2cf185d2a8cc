#include "sim/simulate.hpp"

#include <gtest/gtest.h>

#include "base/contract.hpp"
#include "support/plans.hpp"
#include "topology/readers.hpp"

namespace espalier::sim {
namespace {

using plans::make;
using schedule::Buffer;
using schedule::IndexSet;
using schedule::Operands;
using schedule::Operation;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::Schedule;
using schedule::slice;
using topology::Machine;

Machine machine(std::string_view text) { return *topology::parse_synthetic(text); }
Region bytes(std::uint64_t count) { return slice(Buffer::In, 0, count); }
Region into(std::uint64_t count, std::uint64_t offset = 0) {
  return slice(Buffer::Out, offset, count);
}
constexpr std::uint64_t kMega = 1'000'000;

/// Both ways of sharing must say the same where nothing overlaps.
void expect_finish(const Schedule& plan, const Machine& on, Time expected,
                   SimOptions options = {}) {
  for (const Sharing sharing : {Sharing::ExactMaxMin, Sharing::OneBottleneck}) {
    options.sharing = sharing;
    EXPECT_EQ(simulate(plan, on, options).finish, expected)
        << (sharing == Sharing::ExactMaxMin ? "exact" : "one bottleneck");
  }
}

Schedule one_message(std::uint64_t size) {
  return make(Operation::Broadcast, 2, size, "one", [&](ProgramBuilder& b) {
    if (b.rank() == 0) b.send(1, bytes(size), 0);
    if (b.rank() == 1) b.recv(0, into(size), 0);
  });
}

/// Rank 0 sends to each of the others, all at once.
Schedule fan_out(Rank size, std::uint64_t message) {
  return make(Operation::Broadcast, size, message, "fan", [&](ProgramBuilder& b) {
    if (b.rank() > 0) return b.recv(0, into(message), 0);
    for (Rank r = 1; r < size; ++r) b.send(r, bytes(message), 0);
  });
}

TEST(Simulate, AddsUpCostsLatencyAndBytesOfALoneMessage) {
  // 1 MB at 100 Mbit/s: 80 ms.
  const Machine m = machine("proc:2(3ms,100Mbit/s,send=20us,recv=10us)");
  expect_finish(one_message(kMega), m, milliseconds(83) + microseconds(30));
}

TEST(Simulate, ChargesOnlyLatencyWhereNothingIsLimited) {
  expect_finish(one_message(kMega), machine("proc:2(3ms)"), milliseconds(3));
  expect_finish(one_message(0), machine("proc:2(3ms,100Mbit/s)"), milliseconds(3));
}

/// Rank 0 sends so many messages to rank 1, all ready at once.
Schedule in_parts(std::uint64_t parts, std::uint64_t message) {
  return make(Operation::Broadcast, 2, parts * message, "parts", [&](ProgramBuilder& b) {
    for (std::uint32_t p = 0; p < parts; ++p) {
      if (b.rank() == 0) b.send(1, slice(Buffer::In, p * message, message), p);
      if (b.rank() == 1) b.recv(0, into(message, p * message), p);
    }
  });
}

TEST(Simulate, SendsPartsWhenTheOneBeforeHasArrivedIfTheyGoOneAtATime) {
  // 10 kB at 100 Mbit/s: 0.8 ms. Each part: 20 us, 3 ms and that; the last one's receive.
  const Machine m = machine("proc:2(3ms,100Mbit/s,send=20us,recv=10us)");
  SimOptions options;
  options.one_at_a_time = true;
  expect_finish(in_parts(5, 10'000), m, 5 * microseconds(3820) + microseconds(10), options);
  // A message alone to its rank is as it was.
  expect_finish(one_message(kMega), m, milliseconds(83) + microseconds(30), options);
  expect_finish(in_parts(1, 10'000), m, microseconds(3830), options);
  // Nor are short ones parts: sent one after the other, they are on their way together.
  EXPECT_LT(simulate(in_parts(5, 1000), m, options).finish, microseconds(4000));
}

TEST(Simulate, SendsEveryMemberOfAFamilyOnceIfTheyGoOneAtATime) {
  const Rank size = 4;
  const Schedule plan = make(Operation::Scatter, size, 4096, "twice", [&](ProgramBuilder& b) {
    for (const std::uint32_t tag : {0U, 1U, 2U}) {
      if (b.rank() > 0) {
        b.recv(0, into(4096), tag);
      } else {
        b.send_each(IndexSet::range(1, size - 1), slice(Buffer::In, 0, 4096), 4096, tag);
      }
    }
  });
  for (const bool by_latency : {false, true}) {
    SimOptions options;
    options.one_at_a_time = true;
    options.shares_by_latency = by_latency;
    const SimResult result = simulate(plan, machine("proc:4(3ms,1Gbit/s,send=20us)"), options);
    EXPECT_EQ(result.messages, 9U);
    EXPECT_LT(result.finish, milliseconds(10));
  }
}

TEST(Simulate, DoesNotTraceOneAtATime) {
  SimOptions options;
  options.one_at_a_time = options.trace = true;
  EXPECT_THROW((void)simulate(one_message(1), machine("proc:2(3ms)"), options), ContractViolation);
}

TEST(Simulate, KeepsAProcessorForAsLongAsAComputeSays) {
  Schedule plan = one_message(0);
  schedule::Op compute;
  compute.kind = schedule::OpKind::Compute;
  compute.takes = milliseconds(5);
  schedule::Program& sender = plan.programs[0];
  sender.ops.insert(sender.ops.begin(), compute);
  sender.deps.push_back(0);
  sender.ops[1].dep_count = 1;
  expect_finish(plan, machine("proc:2(3ms)"), milliseconds(8));
  SimOptions traced;
  traced.trace = true;
  const SimResult result = simulate(plan, machine("proc:2(3ms)"), traced);
  ASSERT_EQ(result.critical_path.size(), 2U);
  EXPECT_EQ(result.critical_path[0].kind, CriticalStep::Kind::Compute);
  EXPECT_EQ(result.critical_path[0].end, milliseconds(5));
  ASSERT_EQ(result.steps.size(), 1U);
  EXPECT_EQ(result.steps[0].kind, schedule::OpKind::Compute);
  // Without the dependency the first in program order still goes first.
  sender.ops[1].dep_count = 0;
  sender.deps.clear();
  expect_finish(plan, machine("proc:2(3ms)"), milliseconds(8));
}

TEST(Simulate, ChargesCostsByTheByte) {
  const Machine m = machine("proc:2(1ms,send=5us+1GB/s,recv=7us+500MB/s)");
  expect_finish(one_message(kMega), m, milliseconds(1 + 1 + 2) + microseconds(12));
}

TEST(Simulate, CountsAHeaderAsBytes) {
  SimOptions options;
  options.header = Bytes{250'000};
  expect_finish(one_message(kMega), machine("proc:2(100Mbit/s)"), milliseconds(100), options);
}

TEST(Simulate, SharesAnUplinkAmongFlowsThatCrossItTogether) {
  SimOptions options;
  const Machine m = machine("proc:3(100Mbit/s)");
  const SimResult exact = simulate(fan_out(3, kMega), m, options);
  EXPECT_EQ(exact.rank_finish[1], milliseconds(160));  // each at half the speed
  EXPECT_EQ(exact.rank_finish[2], milliseconds(160));
  options.sharing = Sharing::OneBottleneck;
  const SimResult fast = simulate(fan_out(3, kMega), m, options);
  EXPECT_EQ(fast.rank_finish[1], milliseconds(80));  // one after the other
  EXPECT_EQ(fast.rank_finish[2], milliseconds(160));
}

TEST(Simulate, SharesHalfDuplexBetweenTheTwoDirections) {
  const Schedule swap = make(Operation::Alltoall, 2, kMega, "swap", [&](ProgramBuilder& b) {
    b.send(1 - b.rank(), bytes(kMega), 0);
    b.recv(1 - b.rank(), into(kMega), 0);
  });
  expect_finish(swap, machine("proc:2(100Mbit/s)"), milliseconds(80));
  expect_finish(swap, machine("proc:2(100Mbit/s,duplex=half)"), milliseconds(160));
}

TEST(Simulate, HoldsEachFlowBelowItsCap) {
  // Two flows of at most 25 Mbit/s leave half of the uplink unused.
  expect_finish(fan_out(3, kMega), machine("proc:3(100Mbit/s,cap=25Mbit/s)"), milliseconds(320));
  // Five need all of it.
  expect_finish(fan_out(6, kMega), machine("proc:6(100Mbit/s,cap=25Mbit/s)"), milliseconds(400));
}

TEST(Simulate, SharesABackbone) {
  // Two pairs of processes; each uplink alone could do it in 80 ms.
  const Schedule pairs = make(Operation::Alltoall, 4, kMega, "pairs", [&](ProgramBuilder& b) {
    if (b.rank() % 2 == 0) b.send(b.rank() + 1, bytes(kMega), 0);
    if (b.rank() % 2 == 1) b.recv(b.rank() - 1, into(kMega), 0);
  });
  expect_finish(pairs, machine("proc:4(100Mbit/s)"), milliseconds(80));
  expect_finish(pairs, machine("proc:4(100Mbit/s,backbone=100Mbit/s)"), milliseconds(160));
}

TEST(Simulate, LetsThePipelineOfAChainFlow) {
  // 10 segments over 3 links: 12 segment times and 3 latencies.
  expect_finish(plans::chain_broadcast(4, kMega, kMega / 10), machine("proc:4(1ms,100Mbit/s)"),
                milliseconds(12 * 8 + 3));
}

TEST(Simulate, LetsMessagesOfOnePairOvertakeNothing) {
  const Schedule two = make(Operation::Broadcast, 3, kMega, "two", [&](ProgramBuilder& b) {
    if (b.rank() == 0) b.send(1, bytes(kMega), 0);
    if (b.rank() == 0) b.send(1, bytes(kMega), 1);
    if (b.rank() == 1) b.recv(0, into(kMega), 0);
    if (b.rank() == 1) b.send(2, into(kMega), 0);
    if (b.rank() == 1) b.recv(0, into(kMega, kMega), 1);
    if (b.rank() == 2) b.recv(1, into(kMega), 0);
  });
  const Machine m = machine("proc:3(100Mbit/s)");
  EXPECT_EQ(simulate(two, m).rank_finish[2], milliseconds(160));
  SimOptions options;
  options.ordered_pairs = false;  // both at half the speed
  EXPECT_EQ(simulate(two, m, options).rank_finish[2], milliseconds(240));
}

TEST(Simulate, KeepsAProcessorToOneThingAtATime) {
  // The last message leaves after three sends.
  expect_finish(fan_out(4, 8), machine("proc:4(1ms,send=100us)"), microseconds(1300));
  // Three arrive together and are taken one after the other.
  expect_finish(plans::flat_gather(4, 8), machine("proc:4(1ms,recv=100us)"), microseconds(1300));
}

TEST(Simulate, ServesReadyStepsInProgramOrder) {
  // While rank 1 is busy with its first send, both messages of the others arrive; the one that
  // stands first in its program is taken first, although it came last.
  const Schedule plan = make(Operation::Broadcast, 4, 8, "order", [&](ProgramBuilder& b) {
    if (b.rank() == 0) b.send(1, bytes(8), 0);
    if (b.rank() == 2) b.send(1, bytes(8), 0);
    if (b.rank() == 1) {
      b.send(3, bytes(8), 0);
      b.recv(2, into(8), 0);
      b.recv(0, into(8, 8), 0);
    }
    if (b.rank() == 3) b.recv(1, into(8), 0);
  });
  SimOptions options;
  options.skew = {Time{0}, Time{0}, microseconds(50), Time{0}};
  options.trace = true;
  const SimResult result =
      simulate(plan, machine("proc:4(100us,send=1us|1ms|1us*2,recv=10us)"), options);
  ASSERT_EQ(result.timeline.size(), 3U);
  EXPECT_EQ(result.timeline[0].arrived, microseconds(101));
  EXPECT_EQ(result.timeline[2].arrived, microseconds(151));
  EXPECT_EQ(result.timeline[2].recv_begin, milliseconds(1));
  EXPECT_EQ(result.timeline[0].recv_begin, microseconds(1010));
}

TEST(Simulate, ChargesReducingAndCopying) {
  const Schedule plan = make(Operation::Allreduce, 1, kMega, "alone", [&](ProgramBuilder& b) {
    b.copy(bytes(kMega), into(kMega));
    b.reduce(bytes(kMega), into(kMega), Operands::FromThenTo);
  });
  const Machine m = machine("proc:1(reduce=1GB/s)");
  expect_finish(plan, m, milliseconds(1));
  SimOptions options;
  options.copy = bytes_per_second(500'000'000);
  expect_finish(plan, m, milliseconds(3), options);
  options.trace = true;
  using schedule::OpKind;
  EXPECT_EQ(simulate(plan, m, options).steps,
            (std::vector<StepTrace>{{0, 0, OpKind::Copy, Time{0}, milliseconds(2)},
                                    {0, 1, OpKind::Reduce, milliseconds(2), milliseconds(3)}}));
}

TEST(Simulate, LetsALateRankBeLate) {
  SimOptions options;
  options.skew = {milliseconds(7), milliseconds(1)};
  expect_finish(one_message(8), machine("proc:2(3ms)"), milliseconds(10), options);
  options.skew = {milliseconds(1), milliseconds(7)};
  expect_finish(one_message(8), machine("proc:2(3ms)"), milliseconds(7), options);  // it is there
}

TEST(Simulate, FreesTheSenderOfAnEagerMessageOnly) {
  const Machine m = machine("proc:2(3ms,100Mbit/s,send=20us)");
  SimOptions options;
  options.eager_limit = Bytes{kMega + 1};
  EXPECT_EQ(simulate(one_message(kMega), m, options).rank_finish[0], microseconds(20));
  options.eager_limit = Bytes{kMega};
  EXPECT_EQ(simulate(one_message(kMega), m, options).rank_finish[0],
            milliseconds(83) + microseconds(20));
  options.free_rendezvous = true;
  EXPECT_EQ(simulate(one_message(kMega), m, options).rank_finish[0], milliseconds(83));
  options.eager_limit = Bytes{kMega + 1};
  EXPECT_EQ(simulate(one_message(kMega), m, options).rank_finish[0], microseconds(20));
}

TEST(Simulate, MakesARendezvousWaitForTheReceiver) {
  const Machine m = machine("proc:2(3ms,100Mbit/s)");
  SimOptions options;
  options.skew = {Time{0}, milliseconds(50)};
  options.eager_limit = Bytes{0};
  expect_finish(one_message(kMega), m, milliseconds(50 + 83), options);
  options.eager_limit = Bytes{2 * kMega};
  expect_finish(one_message(kMega), m, milliseconds(83), options);
}

TEST(Simulate, PaysTheHandshakeOfARendezvous) {
  const Machine m = machine("proc:2(3ms,100Mbit/s)");
  SimOptions options;
  options.eager_limit = Bytes{0};
  for (std::uint32_t trips = 0; trips < 5; ++trips) {
    options.handshake = {trips};
    options.skew = {};
    expect_finish(one_message(kMega), m, milliseconds(83 + 3 * trips), options);
    // The sender's request is there when the receiver comes; only the rest is still to pay.
    options.skew = {Time{0}, milliseconds(50)};
    expect_finish(one_message(kMega), m, milliseconds(50 + 83 + (trips == 0 ? 0 : 3 * (trips - 1))),
                  options);
  }
}

TEST(Simulate, CountsMessagesAndBytesOfEachLevelAndResource) {
  const Machine m = machine("site:2(30ms,100Mbit/s) proc:2(5us)");
  const SimResult result = simulate(fan_out(4, 1000), m);
  ASSERT_EQ(result.levels.size(), 3U);
  EXPECT_EQ(result.levels[0], (LevelUse{2, Bytes{2000}}));
  EXPECT_EQ(result.levels[1], (LevelUse{1, Bytes{1000}}));
  EXPECT_EQ(result.messages, 3U);
  ASSERT_NE(result.bottleneck, kNoResource);
  const ResourceUse& use = result.resources[result.bottleneck];
  EXPECT_EQ(use.bytes, Bytes{2000});
  EXPECT_EQ(describe(use.resource, m), "uplink out of site0");
  EXPECT_EQ(use.busy, microseconds(160));
}

TEST(Simulate, SaysWhoWaitsForEver) {
  const Machine m = machine("proc:3(1ms)");
  const Schedule lost = make(Operation::Broadcast, 3, 8, "lost", [&](ProgramBuilder& b) {
    if (b.rank() == 0) b.send(1, bytes(8), 0);
    if (b.rank() == 1) b.recv(0, into(8), 5);
  });
  const SimResult result = simulate(lost, m);
  EXPECT_EQ(result.unmatched, 2U);
  EXPECT_EQ(result.finish, kForever);
  EXPECT_EQ(result.rank_finish, (std::vector<Time>{Time{0}, kForever, Time{0}}));
  const Schedule cycle = make(Operation::Alltoall, 3, 8, "cycle", [&](ProgramBuilder& b) {
    b.recv((b.rank() + 1) % 3, into(8), 0);
    b.send((b.rank() + 2) % 3, into(8), 0);
  });
  EXPECT_EQ(simulate(cycle, m).rank_finish, std::vector<Time>(3, kForever));
}

TEST(Simulate, TakesAFamilyOfMessagesOneByOne) {
  const Schedule family = make(Operation::Scatter, 4, 8, "family", [&](ProgramBuilder& b) {
    if (b.rank() > 0) return b.recv(0, into(8), 0);
    b.send_each(IndexSet::range(1, 3), slice(Buffer::In, 0, 8), 8, 0);
    b.send(1, bytes(8), 1);
  });
  SimOptions options;
  options.trace = true;
  const SimResult result = simulate(family, machine("proc:4(1ms,send=100us)"), options);
  EXPECT_EQ(result.rank_finish[0], microseconds(400));
  EXPECT_EQ(result.rank_finish[3], microseconds(1300));
}

TEST(Simulate, TakesProgramsMadeOnDemand) {
  const Schedule plan = plans::binomial_broadcast(13, 5000, 1000);
  const Machine m = machine("node:13(100us,1Gbit/s,send=2us)");
  EXPECT_EQ(simulate(
                plan.call, [&](Rank r) { return plan.programs[r]; }, m),
            simulate(plan, m));
}

TEST(Simulate, RefusesAPlanForAnotherNumberOfProcesses) {
  EXPECT_THROW((void)simulate(one_message(8), machine("proc:3(1ms)")), ContractViolation);
  SimOptions options;
  options.skew = {Time{0}};
  EXPECT_THROW((void)simulate(one_message(8), machine("proc:2(1ms)"), options), ContractViolation);
}

}  // namespace
}  // namespace espalier::sim
