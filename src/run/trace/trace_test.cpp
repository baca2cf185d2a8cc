#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "trace/clock.hpp"
#include "trace/json.hpp"
#include "trace/log.hpp"

namespace espalier::trace {
namespace {

using What = Event::What;

LoggedPlan a_plan(std::uint64_t program) {
  LoggedPlan plan;
  plan.call.operation = schedule::Operation::Broadcast;
  plan.call.size = 2;
  plan.call.count = 100;
  plan.name = "binomial";
  plan.predicted = microseconds(7);
  plan.program = program;
  return plan;
}

Communicator pair_of_ranks() { return {"MPI_COMM_WORLD (2)", {0, 1}, R"({"format":"x"})"}; }

/// One call in which rank 0 sends two parts of one message to rank 1, beginning at `at`.
void log_call(Log& sender, Log& receiver, std::uint32_t number, Nanoseconds at) {
  sender.begin(number, 0, at);
  receiver.begin(number, 0, at + 5);
  sender.add({at + 10, number, What::SendBegin, 1, 3, 60});
  sender.add({at + 11, number, What::SendBegin, 1, 3, 40});
  receiver.add({at + 6, number, What::RecvBegin, 0, 3, 60});
  receiver.add({at + 7, number, What::RecvBegin, 0, 3, 40});
  sender.add({at + 20, number, What::SendEnd, 1, 3, 60});
  sender.add({at + 22, number, What::SendEnd, 1, 3, 40});
  receiver.add({at + 30, number, What::RecvEnd, 0, 3, 60});
  receiver.add({at + 33, number, What::RecvEnd, 0, 3, 40});
  sender.end(number, at + 23);
  receiver.end(number, at + 34);
}

struct TwoRanks {
  Budget budget;
  Log first{7, pair_of_ranks(), budget}, second{7, pair_of_ranks(), budget};

  explicit TwoRanks(std::uint64_t bytes = 1U << 24U) : budget(bytes) {
    first.add_plan(a_plan(11));
    second.add_plan(a_plan(12));
  }
  [[nodiscard]] Trace joined() const {
    Trace trace = join({unpack(first.pack()), unpack(second.pack())});
    trace.program = "a \"program\"";
    trace.hosts = {"one", "two"};
    return trace;
  }
};

TEST(TraceLog, BothEndsOfAMessageBecomeOne) {
  TwoRanks ranks;
  log_call(ranks.first, ranks.second, 4, 1000);
  const Trace trace = ranks.joined();
  ASSERT_EQ(trace.calls.size(), 1U);
  const Call& call = trace.calls.front();
  EXPECT_EQ(call.number, 4U);
  EXPECT_EQ(call.begin, (std::vector<Nanoseconds>{0, 5}));
  EXPECT_EQ(call.end, (std::vector<Nanoseconds>{23, 34}));
  ASSERT_EQ(call.messages.size(), 1U);
  EXPECT_EQ(call.messages.front(), (Message{0, 1, 3, 100, 10, 22, 6, 33}));
  EXPECT_EQ(trace.plans.at(call.plan).programs, (std::vector<std::uint64_t>{11, 12}));
  EXPECT_EQ(trace.dropped, 0U);
}

TEST(TraceLog, CallsBeyondTheBudgetAreCountedAndWhatIsKeptIsWhole) {
  constexpr std::uint64_t kPlans = 4096;              // more than two of them take
  TwoRanks ranks(2 * 2048 * sizeof(Event) + kPlans);  // one chunk for each rank
  constexpr std::uint32_t kCalls = 1000;
  for (std::uint32_t c = 0; c < kCalls; ++c) log_call(ranks.first, ranks.second, c, c * 100);
  const Trace trace = ranks.joined();
  EXPECT_EQ(trace.calls.size(), 2048 / 6);  // six events a call on each rank
  EXPECT_EQ(trace.calls.size() + trace.dropped, kCalls);
  for (const Call& call : trace.calls) {
    ASSERT_EQ(call.messages.size(), 1U);
    ASSERT_NE(call.messages.front().recv_end, kNever);
  }
}

/// A program that takes two sizes in turn added a plan in every call, beyond all bounds.
TEST(TraceLog, KnowsEachPlanOnceAndWithinTheBudget) {
  Budget budget(100'000);
  Log log(7, pair_of_ranks(), budget);
  EXPECT_EQ(log.add_plan(a_plan(1)), 0U);
  EXPECT_EQ(log.add_plan(a_plan(2)), 1U);
  EXPECT_EQ(log.add_plan(a_plan(1)), 0U);
  for (std::uint64_t program = 3; program < 10'000; ++program) {
    const std::uint32_t index = log.add_plan(a_plan(program));
    log.begin(program, index, 0);
    ASSERT_EQ(index == Log::kNoPlan, log.is_full());
  }
  EXPECT_TRUE(log.is_full());
  const auto kept = unpack(log.pack());
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_LT(kept.front().plans.size(), 1000U);
  EXPECT_EQ(kept.front().calls, 9'997U);
}

TEST(TraceLog, ACallThatOneRankDidNotKeepIsDropped) {
  TwoRanks ranks;
  log_call(ranks.first, ranks.second, 0, 0);
  ranks.first.begin(1, 0, 100);
  ranks.first.end(1, 110);
  const Trace trace = ranks.joined();
  EXPECT_EQ(trace.calls.size(), 1U);
  EXPECT_EQ(trace.dropped, 1U);
}

TEST(TraceJson, IsReadAsItWasWritten) {
  TwoRanks ranks;
  log_call(ranks.first, ranks.second, 0, 50);
  log_call(ranks.first, ranks.second, 1, 150);
  Trace trace = ranks.joined();
  trace.clocks = {2, 1500};
  trace.calls.front().messages.front().recv_end = kNever;
  trace.native = 7;
  trace.untraced = 8;
  const auto read = read_json(write_json(trace), "t");
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(*read, trace);
}

TEST(TraceJson, RefusesWhatIsNoTrace) {
  TwoRanks ranks;
  log_call(ranks.first, ranks.second, 0, 50);
  const auto good = nlohmann::json::parse(write_json(ranks.joined()));
  const auto refused = [&](const char* where, const nlohmann::json& value) {
    auto bad = good;
    bad[nlohmann::json::json_pointer(where)] = value;
    const auto read = read_json(bad.dump(), "bad.json");
    EXPECT_FALSE(read) << where;
    return read ? "" : to_string(read.error());
  };
  EXPECT_NE(refused("/format", "espalier-profile-1").find("espalier-trace-1"), std::string::npos);
  EXPECT_NE(refused("/calls/0/messages/to", {2}).find("process 2 of 2"), std::string::npos);
  EXPECT_NE(refused("/calls/0/messages/to", {1, 1}).find("as many items"), std::string::npos);
  EXPECT_NE(refused("/calls/0/begin", {1}).find("2 times"), std::string::npos);
  EXPECT_NE(refused("/calls/0/begin", {1, -4}).find("before"), std::string::npos);
  EXPECT_NE(refused("/calls/0/plan", 9).find("plan"), std::string::npos);
  EXPECT_NE(refused("/plans/0/operation", "bcast").find("bcast"), std::string::npos);
  EXPECT_NE(refused("/plans/0/programs", {"xyz"}).find("hexadecimal"), std::string::npos);
  EXPECT_NE(refused("/plans/0/name", 3).find("no trace"), std::string::npos);
  EXPECT_FALSE(read_json("{\"format\": \"espalier-trace-1\"", "x"));
}

TEST(TraceEvents, HaveASliceForEachCallAndAnArrowForEachMessage) {
  TwoRanks ranks;
  log_call(ranks.first, ranks.second, 0, 50);
  const auto json = nlohmann::json::parse(write_trace_events(ranks.joined()));
  std::map<std::string, int> phases;
  for (const auto& event : json.at("traceEvents")) {
    ++phases[event.at("ph").get<std::string>()];
    EXPECT_TRUE(event.at("pid").is_number());
    EXPECT_TRUE(event["ph"] == "M" || event.at("ts").is_number());
  }
  EXPECT_EQ(phases["X"], 2);
  EXPECT_EQ(phases["s"], 1);
  EXPECT_EQ(phases["f"], 1);
  EXPECT_EQ(phases["b"], 2);
  EXPECT_EQ(phases["b"], phases["e"]);
}

TEST(TraceEvents, ArrowsDoNotEndBeforeTheyBeginThoughClocksAreOff) {
  TwoRanks ranks;
  log_call(ranks.first, ranks.second, 0, 50);
  Trace trace = ranks.joined();
  Message& message = trace.calls.front().messages.front();
  message.recv_end = message.send_begin - 5;
  const auto json = nlohmann::json::parse(write_trace_events(trace));
  std::map<std::string, double> at;
  for (const auto& event : json.at("traceEvents")) {
    if (event["ph"] == "s" || event["ph"] == "f") at[event["ph"]] = event["ts"];
  }
  EXPECT_EQ(at.size(), 2U);
  EXPECT_LE(at["s"], at["f"]);
}

TEST(TraceEvents, AreJsonThoughACallBeginsEarlyAndEndsEarlier) {
  TwoRanks ranks;
  log_call(ranks.first, ranks.second, 0, 50);
  Trace trace = ranks.joined();
  trace.calls.front().begin.front() = -50;
  trace.calls.front().end.front() = -1'050;
  const auto json = nlohmann::json::parse(write_trace_events(trace));
  const auto& events = json.at("traceEvents");
  const auto call = std::find_if(events.begin(), events.end(),
                                 [](const auto& event) { return event["ph"] == "X"; });
  EXPECT_EQ(call->at("ts"), -0.05);
  EXPECT_EQ(call->at("dur"), 0.0);
}

TEST(TraceClock, TheLeastRoundTripBoundsTheOffset) {
  // The other clock is 1000 ahead; the third trip waits on its way back.
  const std::vector<RoundTrip> trips{{0, 1040, 90}, {100, 1105, 110}, {200, 1205, 400}};
  const Offset offset = offset_from(trips);
  EXPECT_EQ(offset.value, 1000);
  EXPECT_EQ(offset.residual, 5);
}

TEST(TraceClock, AClockThatRunsFastIsBroughtBack) {
  const ClockFit fit{{1'000, 1'000, 3}, {2'002'000, 2'000, 8}};  // gains 1000 in 2,001,000
  EXPECT_EQ(fit.ours(1'000), 0);
  EXPECT_EQ(fit.ours(2'002'000), 2'000'000);
  EXPECT_NEAR(static_cast<double>(fit.ours(1'001'500)), 1'000'000, 1);
  EXPECT_EQ(fit.residual(), 8);
  EXPECT_EQ(worst_between({0}), 0);
  EXPECT_EQ(worst_between({0, 8}), 8);
  EXPECT_EQ(worst_between({3, 0, 8, 5}), 13);
}

TEST(TraceClock, OneKernelIsKnownAgain) {
  EXPECT_TRUE(is_same_clock(look_at_clock(), look_at_clock()));
  KernelClock other = look_at_clock();
  other.zero += 1'000'000'000;
  EXPECT_FALSE(is_same_clock(look_at_clock(), other));
}

}  // namespace
}  // namespace espalier::trace
