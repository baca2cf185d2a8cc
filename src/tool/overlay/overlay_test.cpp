#include "overlay/overlay.hpp"

#include <gtest/gtest.h>

#include "collective/hierarchy.hpp"
#include "select/candidates.hpp"
#include "sim/simulate.hpp"
#include "topology/load_machine.hpp"
#include "topology/writers.hpp"

namespace espalier::overlay {
namespace {

/// A broadcast that runs exactly as simulated, ranks entering at different times, but for messages
/// between two ranks that `delay` says of.
template <typename Delay>
trace::Trace simulated_trace(const std::string& line, Delay delay) {
  const topology::Machine machine = topology::load_machine(line)->machine;
  trace::Trace trace;
  trace.hosts.assign(machine.size(), "host");
  trace.communicators = {{"world", {}, topology::write_json(machine)}};
  trace::Plan plan;
  plan.call.operation = schedule::Operation::Broadcast;
  plan.call.size = machine.size();
  plan.call.count = 4096;
  plan.name = "binomial";
  const collective::Hierarchy hierarchy(machine);
  const auto schedule =
      select::schedule_of(*select::candidate_called(plan.name, hierarchy, plan.call), plan.call);
  sim::SimOptions options;
  options.trace = true;
  trace::Call call;
  for (Rank r = 0; r < machine.size(); ++r) {
    trace.communicators[0].members.push_back(r);
    plan.programs.push_back(hash_of(schedule.programs[r]));
    call.begin.push_back(1000 * r);
    options.skew.push_back(nanoseconds(1000 * r));
  }
  const sim::SimResult result = sim::simulate(schedule, machine, options);
  const auto ns = [](Time t) { return t.picoseconds / 1000; };
  for (const Time at : result.rank_finish) call.end.push_back(ns(at));
  for (const sim::MessageTrace& m : result.timeline) {
    call.messages.push_back({m.from, m.to, schedule.programs[m.from].ops[m.send_op].tag, 4096,
                             ns(m.send_begin), ns(m.send_end), ns(m.recv_begin),
                             ns(m.recv_end) + delay(m.from, m.to)});
  }
  trace.plans = {plan};
  trace.calls = {call};
  return trace;
}

constexpr const char* kThreeSites = "site:3(10ms,100Mbit/s) proc:2(5us)";

TEST(Overlay, OnlyTheFirstOfSeveralCallsAlongAPlanIsAWarmUp) {
  trace::Trace trace;
  trace.plans.resize(4);
  trace.plans[1].name = "another";
  trace.plans[2].call.root = 1;
  for (const std::uint32_t plan : {0, 3, 1, 0, 2, 2}) {  // 0 and 3 are the same
    trace::Call call;
    call.plan = plan;
    trace.calls.push_back(call);
  }
  trace.calls.back().communicator = 1;
  const std::vector<bool> expected{true, false, false, false, false, false};
  for (std::size_t c = 0; c < trace.calls.size(); ++c) {
    EXPECT_EQ(is_warm_up(trace, c), expected[c]) << c;
  }
}

TEST(Overlay, WhatRanAsSimulatedDiffersNowhere) {
  const auto trace = simulated_trace(kThreeSites, [](Rank, Rank) { return 0; });
  const auto overlay = overlay_of(trace, 0);
  ASSERT_TRUE(overlay) << to_string(overlay.error());
  ASSERT_TRUE(overlay->simulated) << overlay->why_not;
  EXPECT_EQ(overlay->pairs.size(), 5U);
  EXPECT_EQ(overlay->unmatched, 0U);
  for (const Pair& pair : overlay->pairs) EXPECT_LE(pair.excess(), nanoseconds(1));
}

TEST(Overlay, NamesTheMessageAndTheLinkThatWereSlow) {
  const auto trace = simulated_trace(
      kThreeSites, [](Rank from, Rank to) { return from / 2 == 0 && to / 2 == 2 ? 7'000'000 : 0; });
  const auto overlay = overlay_of(trace, 0);
  ASSERT_TRUE(overlay) << to_string(overlay.error());
  ASSERT_TRUE(overlay->largest);
  EXPECT_EQ(overlay->links.front().name, "site0 - site2");
  EXPECT_EQ(overlay->links[overlay->pairs[*overlay->largest].link].name, "site0 - site2");
  EXPECT_NE(largest_in_words(*overlay).find("over site0 - site2"), std::string::npos);
  EXPECT_NE(largest_in_words(*overlay).find("7 ms longer"), std::string::npos);
  EXPECT_EQ(links_of({*overlay, *overlay}).front().name, "site0 - site2");
}

TEST(Overlay, NoDifferenceBelowTheResidualIsNamed) {
  auto trace = simulated_trace(kThreeSites, [](Rank, Rank) { return 7'000'000; });
  trace.clocks = {3, 8'000'000};
  const auto overlay = overlay_of(trace, 0);
  ASSERT_TRUE(overlay) << to_string(overlay.error());
  EXPECT_FALSE(overlay->largest);
}

TEST(Overlay, APlanThatIsNotTheOneThatRanIsNotSimulated) {
  auto trace = simulated_trace(kThreeSites, [](Rank, Rank) { return 0; });
  trace.plans[0].programs[3] ^= 1;
  const auto overlay = overlay_of(trace, 0);
  ASSERT_TRUE(overlay) << to_string(overlay.error());
  EXPECT_FALSE(overlay->simulated);
  EXPECT_NE(overlay->why_not.find("another version"), std::string::npos);
}

TEST(Overlay, AMachineOfAnotherSizeIsRefused) {
  auto trace = simulated_trace(kThreeSites, [](Rank, Rank) { return 0; });
  trace.communicators[0].machine = topology::write_json(topology::load_machine("proc:4")->machine);
  EXPECT_FALSE(overlay_of(trace, 0));
  trace.communicators[0].machine = "{}";
  EXPECT_FALSE(overlay_of(trace, 0));
}

}  // namespace
}  // namespace espalier::overlay
