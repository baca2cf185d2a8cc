#include "runtime/start_trial.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "runtime/documented_states_for_test.hpp"
#include "runtime/inside_clock.hpp"
#include "runtime/meeting_for_test.hpp"
#include "runtime/start_trials.hpp"
#include "support/for_all_seeds.hpp"

namespace espalier::runtime {
namespace {

constexpr std::uint64_t kBytes = 8;
const Lead kLead{select::WhichPlan::Best, "a plan", 0.010, 0.020, true};

/// The trials of one class on all ranks of a communicator.
struct Ranks {
  explicit Ranks(std::size_t size) : agreements(size) {
    for (std::size_t r = 0; r < size; ++r) trials.emplace_back(kLead);
  }
  /// One start on all ranks, and how long it takes on rank r, natively and along the plan. Empty:
  /// it is not complete before the ranks agree.
  using Took = std::function<StartTimes(std::size_t rank, bool is_planned)>;
  StartTrial::Next start(const Took& took) {
    StartTrial::Next next;
    for (std::size_t r = 0; r < trials.size(); ++r) {
      next = trials[r].next(kBytes);
      if (next.agrees) trials[r].agree(agreement(r));
      if (next.is_timed && took) trials[r].note(next.is_planned, took(r, next.is_planned));
    }
    return next;
  }
  void start_all_turns(const Took& took) {
    for (std::uint32_t i = 0; i < StartTrial::kTurns; ++i) static_cast<void>(start(took));
  }
  /// One call that blocks.
  void block() {
    for (std::size_t r = 0; r < trials.size(); ++r) {
      if (trials[r].wants_call()) trials[r].step([this, r] { return agreement(r); });
    }
  }
  std::unique_ptr<Agreement> agreement(std::size_t rank) {
    const std::size_t number = agreements[rank]++;
    while (meetings.size() <= number) meetings.emplace_back(trials.size());
    return std::make_unique<Member>(meetings[number]);
  }
  void block_until_agreed() {
    for (std::uint32_t i = 0; i <= StartTrial::kCallsToAgree; ++i) block();
  }
  [[nodiscard]] bool all_keep(bool plan) const {
    return std::all_of(trials.begin(), trials.end(), [plan](const StartTrial& trial) {
      return trial.phase() == StartTrial::Phase::Kept && trial.keeps_plan() == plan;
    });
  }
  std::vector<std::size_t> agreements;  // begun on each rank
  std::deque<Meeting> meetings;
  std::deque<StartTrial> trials;
};

StartTimes twice_as_fast(std::size_t /*rank*/, bool is_planned) {
  return is_planned ? StartTimes{0.010, 0.001} : StartTimes{0.020, 0.001};
}

TEST(StartTrial, NativeAndPlannedCallsTakeTurnsAndTheFirstOfABlockIsNotTimed) {
  StartTrial trial(kLead);
  std::string turns;
  for (std::uint32_t i = 0; i < StartTrial::kTurns; ++i) {
    const StartTrial::Next next = trial.next(kBytes);
    turns += next.is_planned ? (next.is_timed ? 'P' : 'p') : (next.is_timed ? 'N' : 'n');
  }
  EXPECT_EQ(turns, "nNNNNNpPPPPPPPPPPPnNNNNN");
  EXPECT_EQ(trial.phase(), StartTrial::Phase::Due);
}

TEST(StartTrial, KeepsAPlanThatIsCompleteEarlier) {
  Ranks ranks(3);
  ranks.start_all_turns(twice_as_fast);
  EXPECT_TRUE(ranks.trials[0].wants_call());
  ranks.block_until_agreed();
  EXPECT_TRUE(ranks.all_keep(true));
  EXPECT_EQ(ranks.trials[0].why(), "complete earlier");
  EXPECT_DOUBLE_EQ(ranks.trials[0].plan_times().span, 0.010);
  EXPECT_TRUE(ranks.start(twice_as_fast).is_planned);
}

TEST(StartTrial, KeepsAPlanThatTakesLessTimeInsideMpi) {
  Ranks ranks(2);
  ranks.start_all_turns([](std::size_t, bool is_planned) {
    return is_planned ? StartTimes{0.1, 0.001} : StartTimes{0.1, 0.002};
  });
  ranks.block_until_agreed();
  EXPECT_TRUE(ranks.all_keep(true));
}

TEST(StartTrial, StaysNativeWhereTheTwoCannotBeToldApart) {
  Ranks ranks(2);
  ranks.start_all_turns([](std::size_t, bool) { return StartTimes{0.1, 0.002}; });
  ranks.block_until_agreed();
  EXPECT_TRUE(ranks.all_keep(false));
  EXPECT_FALSE(ranks.start(twice_as_fast).is_planned);
}

TEST(StartTrial, StaysNativeWhereAPlanThatIsCompleteEarlierTakesMoreTimeInsideMpi) {
  Ranks ranks(2);
  ranks.start_all_turns([](std::size_t, bool is_planned) {
    return is_planned ? StartTimes{0.010, 0.004} : StartTimes{0.020, 0.001};
  });
  ranks.block_until_agreed();
  EXPECT_TRUE(ranks.all_keep(false));
}

TEST(StartTrial, OneRankThatLosesDecidesForAll) {
  Ranks ranks(3);
  ranks.start_all_turns([](std::size_t rank, bool is_planned) {
    return is_planned && rank == 1 ? StartTimes{0.030, 0.001} : twice_as_fast(rank, is_planned);
  });
  ranks.block_until_agreed();
  EXPECT_TRUE(ranks.all_keep(false));
}

TEST(StartTrial, SingleCallsThatTakeLongDoNotDecide) {
  Ranks ranks(2);
  int calls = 0;
  ranks.start_all_turns([&](std::size_t rank, bool is_planned) {
    return ++calls % 5 == 0 ? StartTimes{0.085, 0.001} : twice_as_fast(rank, is_planned);
  });
  ranks.block_until_agreed();
  EXPECT_TRUE(ranks.all_keep(true));
}

/// A rank may start any number of calls before another one starts its first. So starts alone cannot
/// agree on a plan: they stay native, whatever was measured.
TEST(StartTrial, WithoutCallsThatBlockStartsStayNativeAfterTheTurns) {
  Ranks ranks(2);
  ranks.start_all_turns(twice_as_fast);
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(ranks.start(twice_as_fast).is_planned);
  EXPECT_EQ(ranks.trials[0].phase(), StartTrial::Phase::Agreeing);
}

TEST(StartTrial, AStartThatWasMeasuredSlowerIsNativeFromTheEndOfItsTurnsOn) {
  const auto slower = [](std::size_t, bool is_planned) {
    return is_planned ? StartTimes{0.040, 0.001} : StartTimes{0.020, 0.001};
  };
  Ranks ranks(3);
  ranks.start_all_turns(slower);
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(ranks.start(slower).is_planned) << i;
    if (i % 3 == 0) ranks.block();
  }
  EXPECT_TRUE(ranks.all_keep(false));
}

TEST(StartTrial, TheStartAfterTheTurnsBeginsTheAgreementAndOneCallThatBlocksTakesIt) {
  Ranks ranks(3);
  ranks.start_all_turns(twice_as_fast);
  EXPECT_TRUE(ranks.start(twice_as_fast).agrees);
  for (std::uint32_t i = 1; i < StartTrial::kCallsToAgree; ++i) {
    EXPECT_FALSE(ranks.start(twice_as_fast).agrees);
  }
  EXPECT_FALSE(ranks.all_keep(true));
  ranks.block();
  EXPECT_TRUE(ranks.all_keep(true));
  EXPECT_TRUE(ranks.start(twice_as_fast).is_planned);
}

/// Until then the allreduce had no time.
TEST(StartTrial, ACallThatBlocksSoonAfterTheAgreementBeganDoesNotTakeIt) {
  Ranks ranks(2);
  ranks.start_all_turns(twice_as_fast);
  static_cast<void>(ranks.start(twice_as_fast));
  ranks.block();
  EXPECT_EQ(ranks.trials[0].phase(), StartTrial::Phase::Agreeing);
  EXPECT_FALSE(ranks.start(twice_as_fast).is_planned);
  ranks.block();
  ranks.block();
  EXPECT_TRUE(ranks.all_keep(true));
}

TEST(StartTrial, AfterACallThatBlocksTooEarlyStartsAreNativeUntilTheNextOne) {
  Ranks ranks(2);
  ranks.start_all_turns(twice_as_fast);
  static_cast<void>(ranks.start(twice_as_fast));
  ranks.block();
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(ranks.start(twice_as_fast).is_planned) << i;
  ranks.block();
  EXPECT_TRUE(ranks.start(twice_as_fast).is_planned);
}

TEST(StartTrial, ManyStartsBetweenTwoCallsThatBlockBeginOneAgreement) {
  Ranks ranks(2);
  ranks.start_all_turns(twice_as_fast);
  ranks.block();
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(ranks.start(twice_as_fast).agrees);
  ranks.block();
  EXPECT_TRUE(ranks.all_keep(true));
  EXPECT_EQ(ranks.meetings.size(), 1);
}

TEST(StartTrial, CallsThatAreNotCompleteAreComparedAgainAndInTheEndNative) {
  Ranks ranks(2);
  for (std::uint32_t round = 0; round < StartTrial::kMostRounds; ++round) {
    for (std::uint32_t i = 0; i < StartTrial::kTurns; ++i) {
      for (StartTrial& trial : ranks.trials) static_cast<void>(trial.next(kBytes));
    }
    EXPECT_TRUE(ranks.trials[0].wants_call()) << round;
    ranks.block_until_agreed();
  }
  EXPECT_TRUE(ranks.all_keep(false));
}

/// Starts and calls that block in any order, complete or not: every step of the documents' table,
/// and no other.
TEST(StartTrial, LeadsFromPhaseToPhaseAsTheDocumentsSay) {
  const DocumentedStates documented("phase");
  EXPECT_EQ(documented.names, as_strings(StartTrial::kPhaseNames));
  std::set<StateStep> seen;
  for_all_seeds(20, [&](Random& random) {
    Ranks ranks(2);
    const auto name_of_phase = [&](const StartTrial& trial) {
      return std::string(StartTrial::kPhaseNames[static_cast<std::size_t>(trial.phase())]);
    };
    const Ranks::Took took = random.chance(50) ? Ranks::Took(twice_as_fast) : nullptr;
    for (int call = 0; call < 200; ++call) {
      const std::string before = name_of_phase(ranks.trials[0]);
      const bool blocks = random.chance(10);
      if (blocks) {
        ranks.block();
      } else {
        static_cast<void>(ranks.start(took));
      }
      const std::string after = name_of_phase(ranks.trials[0]);
      EXPECT_EQ(name_of_phase(ranks.trials[1]), after) << "all ranks alike";
      if (after != before) seen.insert({before, after});
      if (after == "Kept" && before != "Kept") {
        EXPECT_TRUE(blocks) << "no start takes the result";
      }
    }
  });
  EXPECT_EQ(documented.steps, seen);
}

TEST(StartTrial, CallsOfOtherLengthsAreNotTimed) {
  StartTrial trial(kLead);
  static_cast<void>(trial.next(1000));
  EXPECT_TRUE(trial.next(1000).is_timed);
  EXPECT_FALSE(trial.next(1900).is_timed);
  EXPECT_FALSE(trial.next(500).is_timed);
  EXPECT_TRUE(trial.next(1040).is_timed);
}

TEST(Lead, IsClearByATenthIfMeasuredAndByAThirdIfPredicted) {
  Lead lead = kLead;
  lead.plan = 0.89 * lead.native;
  EXPECT_TRUE(lead.is_clear());
  lead.plan = 0.91 * lead.native;
  EXPECT_FALSE(lead.is_clear());
  lead.is_measured = false;
  lead.plan = 0.67 * lead.native;
  EXPECT_FALSE(lead.is_clear());
  lead.plan = 0.66 * lead.native;
  EXPECT_TRUE(lead.is_clear());
  lead.native = -1;
  EXPECT_FALSE(lead.is_clear());
}

TEST(StartTrials, AClassWhoseLeadChangesIsComparedAnew) {
  StartTrials trials;
  const CallClass calls{};
  for (std::uint32_t i = 0; i < StartTrial::kTurns; ++i) {
    static_cast<void>(trials.next(calls, kBytes, kLead));
  }
  EXPECT_TRUE(trials.wants_call());
  Lead other = kLead;
  other.which = select::WhichPlan::RunnerUp;
  EXPECT_FALSE(trials.next(calls, kBytes, other).is_planned);
  EXPECT_FALSE(trials.wants_call());
}

/// All ranks have begun it, so all end it, in a call that blocks.
TEST(StartTrials, AnAgreementUnderWayIsEndedThoughTheLeadChanged) {
  StartTrials trials;
  Meeting meeting(1);
  const CallClass calls{};
  const auto make = [&] { return std::make_unique<Member>(meeting); };
  for (std::uint32_t i = 0; i < StartTrial::kTurns; ++i) {
    EXPECT_EQ(trials.next(calls, kBytes, kLead).agrees, nullptr);
  }
  const StartTrials::Next next = trials.next(calls, kBytes, kLead);
  ASSERT_NE(next.agrees, nullptr);
  next.agrees->agree(make());
  Lead other = kLead;
  other.which = select::WhichPlan::RunnerUp;
  static_cast<void>(trials.next(calls, kBytes, other));
  EXPECT_TRUE(trials.wants_call());
  for (std::uint32_t i = 0; i <= StartTrial::kCallsToAgree; ++i) trials.before_blocking(make);
  EXPECT_FALSE(trials.wants_call());
  EXPECT_EQ(trials.records("world").front().phase, StartTrial::Phase::Turns);
}

TEST(StartTrials, TellTimesAndReason) {
  StartTrials trials;
  Meeting meeting(1);
  const CallClass calls{schedule::Operation::Allreduce, 0, 3};
  for (std::uint32_t i = 0; i < StartTrial::kTurns; ++i) {
    const StartTrials::Next next = trials.next(calls, kBytes, kLead);
    if (next.timed) next.timed->note(next.is_planned, twice_as_fast(0, next.is_planned));
  }
  EXPECT_NE(starts_text(trials.records("world"))
                .find("not ended, the ranks agree in a later call that blocks: native"),
            std::string::npos);
  for (std::uint32_t i = 0; i <= StartTrial::kCallsToAgree; ++i) {
    trials.before_blocking([&] { return std::make_unique<Member>(meeting); });
  }
  EXPECT_FALSE(trials.wants_call());
  const std::string text = starts_text(trials.records("world"));
  EXPECT_NE(text.find("kept a plan (complete earlier)"), std::string::npos) << text;
  EXPECT_NE(text.find("start to completion"), std::string::npos) << text;
}

TEST(InsideClock, CountsShortTimesBetweenCallsAndNotLongOnes) {
  InsideClock clock;
  clock.enter(10.0);
  EXPECT_DOUBLE_EQ(clock.at(10.5), 0.5);
  clock.leave(11.0);
  clock.enter(11.0001);
  clock.leave(11.0002);
  EXPECT_NEAR(clock.at(12), 1.0002, 1e-9);
  clock.enter(12.0);  // the program was elsewhere
  clock.leave(12.0001);
  EXPECT_NEAR(clock.at(13), 1.0003, 1e-9);
}

}  // namespace
}  // namespace espalier::runtime
