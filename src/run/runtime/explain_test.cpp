#include "runtime/explain.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>
#include <sstream>

#include "runtime/class_policy.hpp"

namespace espalier::runtime {
namespace {

using schedule::Operation;

TEST(Explain, AddsUpCallsThatRanAlike) {
  CallLog log;
  const CallRecord one{"world (4)", Operation::Broadcast, 4, "ring", "named", 1, -1, 10};
  log.add(one);
  log.add(one);
  CallLog more;
  more.add(one);
  log.merge(more);
  ASSERT_EQ(log.records().size(), 1u);
  EXPECT_EQ(log.records()[0].calls, 3u);
  EXPECT_DOUBLE_EQ(log.records()[0].measured_us, 30);
}

TEST(Explain, ThousandsOfCommunicatorsShareALine) {
  CallLog log;
  for (int i = 0; i < 20000; ++i) {
    log.add({std::to_string(i), Operation::Barrier, 0, "native", "one process", 1, -1, 1});
  }
  EXPECT_LE(log.records().size(), 1001u);
  std::uint64_t calls = 0;
  for (const CallRecord& record : log.records()) calls += record.calls;
  EXPECT_EQ(calls, 20000u);
}

TEST(Explain, TellsWhyCallsWereNative) {
  CallCounts counts;
  counts.planned[0] = 7;
  counts.native(static_cast<Operation>(2), Reason::OneProcess) = 3;
  CallLog log;
  const std::uint32_t size_class = select::size_class(Bytes{65536});
  log.add({"world (4)", Operation::Broadcast, size_class, "ring", "named", 2, 12.5, 30});
  const std::array passed{PassedCalls{{"MPI_Ibcast", Reason::NonBlocking}, 5},
                          PassedCalls{{"MPI_Ibarrier", Reason::NonBlocking}, 0}};
  const std::string text = explain_text(counts, passed, log, {1.5, 2048, 0, 4096, 1024, 2, {}});
  EXPECT_NE(text.find("7 calls planned, 8 native"), std::string::npos) << text;
  EXPECT_NE(text.find("native MPI_Ibcast: 5 (non-blocking)"), std::string::npos) << text;
  EXPECT_EQ(text.find("MPI_Ibarrier"), std::string::npos) << text;
  EXPECT_NE(text.find("start 1.50 ms and 2 KiB; plans 4 KiB, copies at most 1 KiB, hidden "
                      "communicators at most 2"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("native allreduce: 3 (one process)"), std::string::npos) << text;
  EXPECT_NE(text.find("64 - 80 KiB"), std::string::npos) << text;
  EXPECT_NE(text.find("12.5 us   15.0 us  ring (named)"), std::string::npos) << text;
}

TEST(Explain, CallsThatTakeTenTimesAsLongAsPredictedHaveAHint) {
  const auto text_of = [](double predicted_us, double measured_us) {
    CallLog log;
    log.add({"w", Operation::Broadcast, 4, "ring", "named", 1, predicted_us, measured_us});
    return explain_text({}, {}, log, {});
  };
  const char* hint = "<- far from the prediction";
  EXPECT_NE(text_of(12, 121).find(hint), std::string::npos);
  EXPECT_EQ(text_of(12, 119).find(hint), std::string::npos);
  EXPECT_EQ(text_of(-1, 1e6).find(hint), std::string::npos);  // nothing was predicted
}

TEST(Explain, CallsThatTakeATenthOfWhatIsPredictedHaveAHintIfAllRanksEndThemTogether) {
  const auto text_of = [](Operation operation, double measured_us) {
    CallLog log;
    log.add({"w", operation, 4, "ring", "named", 1, 12, measured_us});
    return explain_text({}, {}, log, {});
  };
  const char* hint = "<- far below the prediction";
  EXPECT_NE(text_of(Operation::Allreduce, 1.1).find(hint), std::string::npos);
  EXPECT_EQ(text_of(Operation::Allreduce, 1.3).find(hint), std::string::npos);
  // A root is done when it has sent.
  EXPECT_EQ(text_of(Operation::Broadcast, 1.1).find(hint), std::string::npos);
}

TEST(Explain, CallsThatDoNotBlockHaveARowWithoutATime) {
  CallLog log;
  for (int i = 0; i < 3; ++i) {
    log.add({"w", Operation::Allreduce, 4, "ring", "named; non-blocking", 1, 12, -1});
  }
  const std::string text = explain_text({}, {}, log, {});
  EXPECT_NE(text.find("3   12.0 us         -  ring (named; non-blocking)\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("; -: it does not block, and is not timed\n"), std::string::npos) << text;
}

TEST(Explain, SaysWhyCommunicatorsHaveNoSharedMemory) {
  Footprint footprint;
  EXPECT_EQ(explain_text({}, {}, {}, footprint).find("shared memory"), std::string::npos);
  footprint.without_shared = {"2 communicators without: no more is allowed"};
  EXPECT_NE(explain_text({}, {}, {}, footprint)
                .find("  shared memory: 2 communicators without: no more is allowed\n"),
            std::string::npos);
}

TEST(Explain, SaysWhenPlansAreTriedWhereAllRanksAreEquallyNear) {
  const std::string said = "plans are tried from the 65th call of a kind on";
  CallCounts counts;
  Footprint footprint;
  footprint.first_trial = kCallsUntilTrial + 1;
  counts.native(Operation::Allreduce, Reason::NoGain) = 3;
  counts.native(Operation::NeighbourAlltoall, Reason::OneLevel) = 3;
  EXPECT_EQ(explain_text(counts, {}, {}, footprint).find(said), std::string::npos);
  counts.native(Operation::Allreduce, Reason::OneLevel) = 3;
  counts.native(Operation::Barrier, Reason::OneLevel) = 3;
  const std::string text = explain_text(counts, {}, {}, footprint);
  EXPECT_NE(text.find(said), std::string::npos) << text;
  EXPECT_EQ(text.find(said), text.rfind(said)) << text;
  footprint.first_trial = 0;
  EXPECT_EQ(explain_text(counts, {}, {}, footprint).find(said), std::string::npos);
}

TEST(Explain, SaysWhereMemoryLimitsWhatIsUnderWay) {
  Footprint footprint;
  footprint.leaving_bytes = 32 << 20;
  EXPECT_EQ(explain_text({}, {}, {}, footprint).find("ESPALIER_MEMORY"), std::string::npos);
  footprint.held_back_bytes = 250'000'000;
  const std::string text = explain_text({}, {}, {}, footprint);
  EXPECT_NE(text.find("a far link carries 250 MB in a round trip, but at most 32 MiB may be on"),
            std::string::npos)
      << text;
}

TEST(Explain, ColumnsAreAsWideAsTheirNames) {
  CallLog log;
  log.add(
      {"a communicator with a long name (4)", Operation::Broadcast, 17, "ring", "named", 2, 1, 1});
  log.add({"world (4)", Operation::Allreduce, 20, "ring", "named", 2, 1, 1});
  std::istringstream lines(explain_text({}, {}, log, {}));
  std::set<std::size_t> at;
  for (std::string line; std::getline(lines, line);) {
    for (const char* last : {"plan (why)", "ring (named)"}) {
      if (const std::size_t found = line.find(last); found != std::string::npos) at.insert(found);
    }
  }
  EXPECT_EQ(at.size(), 1u);
}

TEST(Explain, TrialsThatTimedSomethingSayWhatItMeans) {
  TrialRecord record{"world (4)",
                     {Operation::Allreduce, 0, 17, true, false, false},
                     {{select::WhichPlan::Best, "ring", 0.035}, {std::nullopt, "native", 0.155}},
                     {INFINITY, INFINITY},
                     std::nullopt,
                     ""};
  EXPECT_EQ(trials_text({record}).find("took: "), std::string::npos);
  record.times[1] = 0.2;
  EXPECT_TRUE(trials_text({record, record}).ends_with("with waiting for late ranks\n"));
}

TEST(Explain, TrialsThatDidNotEndSayWhatRanInstead) {
  const std::string longer(50, 'x');
  const TrialRecord record{
      "world (4)",
      {Operation::Allreduce, 0, 17, true, false, false},
      {{select::WhichPlan::Best, longer, 0.035}, {std::nullopt, "native", 0.155}},
      {INFINITY, INFINITY},
      std::nullopt,
      ""};
  const std::string text = trials_text({record});
  EXPECT_NE(text.find("not ended, too few calls: " + longer + " by prediction alone\n"),
            std::string::npos)
      << text;
  std::istringstream lines(text);
  std::set<std::size_t> at;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("    ")) at.insert(line.find(" not timed,     predicted"));
  }
  EXPECT_EQ(at.size(), 1u) << text;
  EXPECT_FALSE(at.contains(std::string::npos)) << text;
}

TEST(Explain, NativeWithoutAPredictionDoesNotRunByPrediction) {
  TrialRecord record{"world (4)",
                     {Operation::Allreduce, 0, 8, true, false, false},
                     {{std::nullopt, "native", -1}, {select::WhichPlan::Best, "ring", 3e-7}},
                     {INFINITY, INFINITY},
                     std::nullopt,
                     ""};
  EXPECT_NE(trials_text({record}).find(": not ended, too few calls: native until it has decided\n"),
            std::string::npos)
      << trials_text({record});
  record.candidates.front().predicted = 3e-7;
  EXPECT_NE(trials_text({record}).find("too few calls: native by prediction alone\n"),
            std::string::npos)
      << trials_text({record});
}

TEST(Explain, ATrialIsInOneStateAndOfOneKindOfCalls) {
  TrialRecord record{"world (4)",
                     {Operation::Reduce, 3, 17, false, false, false},
                     {{std::nullopt, "native", 0.1}, {select::WhichPlan::Best, "ring", 0.2}},
                     {1e-6, INFINITY},
                     std::nullopt,
                     "",
                     Trial::BeforeDecision::WaitingForTime};
  EXPECT_NE(
      trials_text({record}).find(", root 3, in order, on world (4): not begun, too short calls: "
                                 "native until there is time to try others\n"),
      std::string::npos)
      << trials_text({record});
  record.before_decision = Trial::BeforeDecision::WaitingToPay;
  EXPECT_NE(trials_text({record}).find(": not begun, others are likely to be slower: native until "
                                       "the program has run long enough to try them\n"),
            std::string::npos)
      << trials_text({record});
  record.before_decision = Trial::BeforeDecision::TakingTurns;
  EXPECT_NE(trials_text({record}).find("not ended, too few calls: they took turns\n"),
            std::string::npos);
  record.kept = 0;
  record.why = "the fastest of those tried";
  record.was_replanned = true;
  EXPECT_NE(trials_text({record}).find("kept native (the fastest of those tried); then links "
                                       "changed, and plans were made anew\n"),
            std::string::npos)
      << trials_text({record});
}

TEST(Explain, TimesHaveThreeDigitsAndTheirUnit) {
  EXPECT_EQ(time_text(0), "0.00 us");
  EXPECT_EQ(time_text(9.996e-6), "10.0 us");
  EXPECT_EQ(time_text(35.873e-3), "35.9 ms");
  EXPECT_EQ(time_text(0.5), "500 ms");
  EXPECT_EQ(time_text(12.345), "12.35 s");
  EXPECT_EQ(time_text(-1), "-");
}

TEST(Explain, SizeClassesAreWords) {
  EXPECT_EQ(size_class_text(0), "0 B");
  EXPECT_EQ(size_class_text(1), "1 B");
  const auto text = [](std::uint64_t bytes) {
    return size_class_text(select::size_class(Bytes{bytes}));
  };
  EXPECT_EQ(text(7), "7 B");
  EXPECT_EQ(text(8), "8 - 9 B");
  EXPECT_EQ(text(1023), "896 - 1023 B");
  EXPECT_EQ(text(1024), "1 - 1.25 KiB");
  EXPECT_EQ(text(786432), "768 - 896 KiB");
  EXPECT_EQ(text(1048575), "896 - 1024 KiB");
  EXPECT_EQ(text(std::uint64_t{3} << 30U), "3 - 3.5 GiB");
}

}  // namespace
}  // namespace espalier::runtime
