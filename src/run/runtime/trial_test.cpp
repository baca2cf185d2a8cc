#include "runtime/trial.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>

#include "runtime/meeting_for_test.hpp"
#include "support/for_all_seeds.hpp"

namespace espalier::runtime {
namespace {

const Clock kAtBegin = [] { return 0.0; };

/// A communicator of ranks in step: times are what time_of(rank, candidate) says.
template <typename TimeOf>
std::vector<std::uint32_t> candidates_taken(std::vector<Trial>& trials, std::uint32_t calls,
                                            TimeOf time_of, const Clock& clock = kAtBegin) {
  Meeting meeting(trials.size());
  std::vector<std::unique_ptr<Member>> members;
  for (std::size_t r = 0; r < trials.size(); ++r) {
    members.push_back(std::make_unique<Member>(meeting));
  }
  std::vector<std::uint32_t> taken;
  for (std::uint32_t call = 0; call < calls; ++call) {
    for (std::size_t r = 0; r < trials.size(); ++r) {
      const std::uint32_t candidate = trials[r].begin_call(*members[r], clock);
      if (r == 0) taken.push_back(candidate);
      EXPECT_EQ(candidate, taken.back()) << "call " << call << " of rank " << r;
      if (trials[r].is_timed()) trials[r].note(10.0 * call, time_of(r, candidate), 8);
    }
  }
  return taken;
}

const std::vector<TrialCandidate> kPlanAndNative{{1e-3, false}, {2e-3, true}};

TEST(Trial, KeepsWhatIsAsPredictedWithoutTryingWhatIsFarBehind) {
  std::vector<Trial> trials(3, Trial(kPlanAndNative));
  const auto taken =
      candidates_taken(trials, 400, [](std::size_t, std::uint32_t) { return 1.2e-3; });
  EXPECT_EQ(std::count(taken.begin(), taken.end(), 0U), 400);
  EXPECT_TRUE(trials[0].is_decided());
  EXPECT_EQ(trials[0].why(), "as predicted, and all others far behind");
}

TEST(Trial, TriesNativeThatWasMeasuredFasterThoughItWasPredictedFarBehind) {
  Trial one(kPlanAndNative);
  for (int i = 0; i < 5; ++i) one.note_native_before(0.6e-3, 8);
  std::vector<Trial> trials(3, one);
  candidates_taken(trials, 400, [](std::size_t, std::uint32_t candidate) {
    return candidate == 0 ? 1.0e-3 : 0.6e-3;
  });
  ASSERT_TRUE(trials[0].is_decided());
  EXPECT_EQ(trials[0].kept(), 1U);
}

TEST(Trial, SaysWhatCallsDoAsLongAsThereIsNoVerdict) {
  using BeforeDecision = Trial::BeforeDecision;
  const auto after = [](std::uint32_t calls, bool rechecks_winner) {
    TrialOptions options;
    options.rechecks_winner = rechecks_winner;
    std::vector<Trial> trials(2, Trial({{-1, true}, {-1, false}}, options));
    candidates_taken(trials, calls, [](std::size_t, std::uint32_t) { return 1e-6; });
    EXPECT_FALSE(trials[0].has_decision());
    EXPECT_FALSE(trials[0].has_timed_a_plan());
    return trials[0].before_decision();
  };
  EXPECT_EQ(after(6, false), BeforeDecision::ByPrediction);
  EXPECT_EQ(after(12, false), BeforeDecision::TakingTurns);
  EXPECT_EQ(after(12, true),
            BeforeDecision::WaitingForTime);  // a microsecond a call says nothing yet
}

TEST(Trial, SaysThatItWaitsUntilTryingWhatIsBehindIsPaidFor) {
  std::vector<Evidence> evidence(2);
  std::vector<Trial> trials;
  for (Evidence& one : evidence) {
    TrialOptions options;
    options.evidence = &one;
    trials.emplace_back(std::vector<TrialCandidate>{{1e-3, false}, {1.4e-3, true}}, options);
  }
  candidates_taken(trials, 12, [](std::size_t, std::uint32_t) { return 1e-3; });
  ASSERT_EQ(trials[0].phase(), ClassState::Waiting);
  EXPECT_EQ(trials[0].before_decision(), Trial::BeforeDecision::WaitingToPay);
}

TEST(Trial, KeepsTheLibrarysOwnWithoutHavingTimedAPlanWhereCallsCannotBeCompared) {
  std::vector<Trial> trials(2, Trial({{-1, true}, {-1, false}}));
  Meeting meeting(2);
  std::vector<std::unique_ptr<Member>> members;
  for (int r = 0; r < 2; ++r) members.push_back(std::make_unique<Member>(meeting));
  for (std::uint64_t call = 0; call < 60; ++call) {
    for (std::size_t r = 0; r < 2; ++r) {
      trials[r].begin_call(*members[r], kAtBegin);
      if (trials[r].is_timed()) trials[r].note(10.0 * static_cast<double>(call), 1e-3, call * call);
    }
  }
  EXPECT_TRUE(trials[0].is_decided());
  EXPECT_FALSE(trials[0].has_timed_a_plan());  // so "measured" is not the reason
}

TEST(Trial, DoesNotTryWhatIsFarBehindBesideARival) {
  std::vector<Trial> trials(2, Trial({{1e-3, false}, {9e-3, true}, {1.1e-3, false}}));
  const auto taken = candidates_taken(trials, 60, [](std::size_t, std::uint32_t candidate) {
    return candidate == 2 ? 0.9e-3 : 1.1e-3;
  });
  EXPECT_EQ(std::count(taken.begin(), taken.end(), 1U), 0);
  EXPECT_EQ(trials[0].kept(), 2U);
}

TEST(Trial, FindsOutWhereThePredictionIsWrong) {
  std::vector<Trial> trials(3, Trial(kPlanAndNative));
  const auto taken = candidates_taken(trials, 60, [](std::size_t, std::uint32_t candidate) {
    return candidate == 0 ? 5e-3 : 3e-3;
  });
  EXPECT_EQ(trials[2].kept(), 1U);
  EXPECT_EQ(trials[2].times(), (std::vector<double>{5e-3, 3e-3}));
  EXPECT_EQ(taken.back(), 1U);
}

TEST(Trial, CountsTheSlowestRank) {
  std::vector<Trial> trials(2, Trial(kPlanAndNative));
  candidates_taken(trials, 60, [](std::size_t rank, std::uint32_t candidate) {
    return candidate == 1 ? 3e-3 : rank == 0 ? 1e-3 : 4e-3;  // the plan is quick on rank 0 only
  });
  EXPECT_EQ(trials[0].kept(), 1U);
}

TEST(Trial, LeavesCallsToTheLibraryUnlessAPlanGainsMore) {
  TrialOptions options;
  options.least_gain = 0.05;
  for (const double gain : {0.04, 0.06}) {
    std::vector<Trial> trials(2, Trial({{-1, true}, {-1, false}}, options));
    candidates_taken(trials, 60, [&](std::size_t, std::uint32_t candidate) {
      return candidate == 0 ? 1e-3 : 1e-3 * (1 - gain);
    });
    EXPECT_EQ(trials[0].kept(), gain > 0.05 ? 1U : 0U);
  }
}

TEST(Trial, LeavesCallsToTheLibraryUnlessAPlanGainsMoreThanDecidingCosts) {
  for (const double gain : {120e-9, 180e-9}) {
    std::vector<Trial> trials(2, Trial({{-1, true}, {-1, false}}));
    candidates_taken(trials, 60, [&](std::size_t, std::uint32_t candidate) {
      return candidate == 0 ? 4e-7 : 4e-7 - gain;
    });
    EXPECT_EQ(trials[0].kept(), gain > 150e-9 ? 1U : 0U);
  }
}

/// A sender that runs ahead: a few calls of the plan cost nothing, many cost more than the
/// library's. Whatever was predicted, even if that is just what a few calls take.
TEST(Trial, APlanThatRanAheadOfItsMessagesIsLookedAtAgainInLongBlocks) {
  for (const auto& predicted : {std::pair{-1.0, -1.0}, {10e-3, 10e-3}, {20e-6, 60e-6}}) {
    Trial trial({{predicted.first, false}, {predicted.second, true}});
    Meeting meeting(1);
    Member member(meeting);
    double now = 0;
    std::uint32_t in_a_row = 0, last = 9;
    int calls = 0;
    for (; !trial.is_decided() && calls < 200000; ++calls) {
      const std::uint32_t candidate = trial.begin_call(member, kAtBegin);
      in_a_row = candidate == last ? in_a_row + 1 : 0;
      last = candidate;
      const double takes = candidate == 1 ? 300e-6 : in_a_row < 20 ? 20e-6 : 400e-6;
      if (trial.is_timed()) trial.note(now, takes, 8);
      now += takes;
      if (calls == 100) {
        EXPECT_EQ(trial.kept(), 0U);
      }
    }
    EXPECT_TRUE(trial.is_decided());
    EXPECT_EQ(trial.kept(), 1U) << "after " << calls << " calls";
  }
}

/// On one node: a few native calls find their messages there already, many take what they take.
TEST(Trial, NativeCallsThatFoundTheirMessagesThereDoNotDecideWhereNoLinkIsFar) {
  TrialOptions options;
  options.rechecks_winner = true;
  options.first_calls = 32;
  for (const double plan : {1e-6, 3e-6}) {
    Trial trial({{-1, true}, {-1, false}}, options);
    Meeting meeting(1);
    Member member(meeting);
    double now = 0;
    std::uint32_t in_a_row = 0, last = 9;
    for (int calls = 0; !trial.is_decided() && calls < 200000; ++calls) {
      const std::uint32_t candidate = trial.begin_call(member, [] { return 2.0; });
      in_a_row = candidate == last ? in_a_row + 1 : 0;
      last = candidate;
      const bool is_there = calls < 40 || in_a_row < 20;
      const double takes = candidate == 1 ? plan : is_there ? 0.4e-6 : 2e-6;
      if (trial.is_timed()) trial.note(now, takes, 8);
      now += takes;
    }
    EXPECT_TRUE(trial.is_decided());
    EXPECT_EQ(trial.kept(), plan < 2e-6 ? 1U : 0U);
  }
}

TEST(Trial, APlanThatTakesTheSameInTheLongRunStays) {
  std::vector<Trial> trials(2, Trial(kPlanAndNative));
  const auto taken = candidates_taken(trials, 2000, [](std::size_t, std::uint32_t candidate) {
    return candidate == 0 ? 2.5e-3 : 3e-3;
  });
  EXPECT_TRUE(trials[0].is_decided());
  EXPECT_EQ(trials[0].kept(), 0U);
  EXPECT_LE(std::count(taken.begin(), taken.end(), 1U), Trial::kMostOtherCalls);
}

/// Otherwise a report would show it beside others that seem faster.
TEST(Trial, TheTimeOfAKeptWayIsTheOneThatItWasComparedBy) {
  std::vector<Trial> trials(1, Trial(kPlanAndNative));
  std::uint32_t calls = 0;
  const auto takes = [&](std::size_t, std::uint32_t candidate) {
    return candidate == 1 ? 3e-3 : ++calls > Trial::kMostOtherCalls ? 3.4e-3 : 2.5e-3;
  };
  candidates_taken(trials, 2000, takes);
  EXPECT_TRUE(trials[0].is_decided());
  EXPECT_EQ(trials[0].kept(), 0U);
  EXPECT_LT(trials[0].times()[0], trials[0].times()[1]);
}

/// Those that go on with more calls need not have the preferred one among them.
TEST(Trial, ThePreferredWayNeedNotBeAmongTheBest) {
  for (const std::uint32_t best : {1U, 2U}) {
    std::vector<Trial> trials(2, Trial({{-1, false}, {-1, true}, {-1, false}}));
    candidates_taken(
        trials, 20000,
        [&](std::size_t, std::uint32_t candidate) {
          return candidate == 0 ? 9e-4 : candidate == best ? 2.0e-4 : 2.3e-4;
        },
        [] { return 10.0; });
    EXPECT_TRUE(trials[0].is_decided());
    EXPECT_EQ(trials[0].kept(), best);
    EXPECT_EQ(trials[0].why(), "the fastest of those tried");
  }
}

TEST(Trial, SaysHowMuchFasterAPlanHadToBe) {
  const auto why = [](double plan_takes, const TrialOptions& options) {
    std::vector<Trial> trials(2, Trial({{1e-3, true}, {1e-3, false}}, options));
    candidates_taken(trials, 400, [&](std::size_t, std::uint32_t candidate) {
      return candidate == 0 ? 1e-3 : plan_takes;
    });
    EXPECT_EQ(trials[0].kept(), 0U);
    return trials[0].why();
  };
  EXPECT_EQ(why(1.1e-3, {}), "the fastest of those tried");
  EXPECT_EQ(why(0.99e-3, {}), "no plan was faster by 2 % and 0.15 us");
  TrialOptions more;
  more.least_gain = 0.05;
  more.why_too_little = "not by 5 %";
  EXPECT_EQ(why(0.96e-3, more), "not by 5 %");
}

TEST(Trial, CountsWhatItCostWhereNoLinkIsFar) {
  double regret = 0;
  TrialOptions options;
  options.regret = &regret;
  std::vector<Trial> trials(1, Trial({{1e-3, true}, {1e-3, false}}, options));
  candidates_taken(trials, 400, [](std::size_t, std::uint32_t candidate) {
    return candidate == 0 ? 1e-3 : 1.1e-3;
  });
  EXPECT_TRUE(trials[0].is_decided());
  EXPECT_NEAR(regret, 10 * 0.1e-3, 1e-9);  // two blocks of five calls
}

TEST(Trial, InLongBlocksOfCallsThatFollowEachOtherReadsNoClockWithin) {
  for (const bool is_close : {true, false}) {
    Trial trial({{-1, true}, {-1, false}});
    Meeting meeting(1);
    Member member(meeting);
    double now = 0;
    int timed = 0, calls = 0;
    for (; !trial.is_decided() && calls < 5000; ++calls) {
      const double takes = trial.begin_call(member, [] { return 1.0; }) == 0 ? 1e-6 : 0.8e-6;
      if (trial.is_timed()) {
        trial.note(now, takes, 8);
        ++timed;
      }
      now += takes + (is_close ? 0.1e-6 : 1e-3);
    }
    EXPECT_EQ(trial.kept(), 1U);
    EXPECT_GT(calls, 1000);
    // All of the first blocks of 5, two of each of 64; or all but the first of each block.
    EXPECT_TRUE(is_close ? timed < 80 : timed > 900) << timed << " of " << calls;
    EXPECT_NEAR(trial.times()[1], is_close ? 0.9e-6 : 0.8e-6, 0.03e-6);
  }
}

/// Which candidate stays if calls take so long on this rank, and so long pass from one to the next.
std::uint32_t kept_of(double plan, double native, double plan_to_next, double native_to_next) {
  Trial trial(kPlanAndNative);
  Meeting meeting(1);
  Member member(meeting);
  double now = 0;
  for (int call = 0; call < 400; ++call) {
    const bool is_plan = trial.begin_call(member, kAtBegin) == 0;
    if (trial.is_timed()) trial.note(now, is_plan ? plan : native, 8);
    now += is_plan ? plan_to_next : native_to_next;
  }
  EXPECT_TRUE(trial.is_decided());
  return trial.kept();
}

TEST(Trial, OfCallsThatFollowEachOtherTakesTheTimeUntilTheLastHasEnded) {
  // The plan leaves a rank sooner, but the next call comes later for it.
  EXPECT_EQ(kept_of(2.6e-3, 3e-3, 3.6e-3, 3e-3), 1U);
}

TEST(Trial, OfCallsFarApartTakesTheTimeWithinThem) {
  // What the program does in between is its own affair.
  EXPECT_EQ(kept_of(2.6e-3, 3e-3, 0.11, 0.1), 0U);
}

TEST(Trial, DoesNotCompareCallsOfDifferentLengths) {
  Trial trial(kPlanAndNative);
  Meeting meeting(1);
  Member member(meeting);
  for (int call = 0; call < 60; ++call) {
    const std::uint32_t candidate = trial.begin_call(member, kAtBegin);
    if (trial.is_timed()) trial.note(call, candidate == 0 ? 5e-3 : 1e-3, call % 2 == 0 ? 100 : 200);
  }
  EXPECT_TRUE(trial.is_decided());
  EXPECT_EQ(trial.kept(), 0U);
  EXPECT_EQ(trial.why(), "calls too different to compare");
  EXPECT_FALSE(trial.could_compare());
}

TEST(Trial, TriesFewCallsUnlessThereIsTime) {
  for (const std::size_t candidates : {2U, 3U}) {
    for (const double elapsed : {0.0, 0.5, 100.0}) {
      std::vector<TrialCandidate> all(candidates, {-1, false});
      std::vector<Trial> trials(2, Trial(all));
      const auto taken = candidates_taken(
          trials, 9000, [](std::size_t, std::uint32_t) { return 1e-4; }, [=] { return elapsed; });
      const auto tried = 9000 - std::count(taken.begin(), taken.end(), 0U);
      EXPECT_TRUE(tried <= Trial::kMostOtherCalls ||
                  static_cast<double>(tried) * 1e-4 <= Trial::kShare * elapsed)
          << tried << " calls after " << elapsed << " s";
      EXPECT_TRUE(trials[0].is_decided());
    }
  }
}

TEST(Trial, KeepsTheFastestUnderNoise) {
  for_all_seeds(200, [](Random& random) {
    const std::size_t candidates = 2 + random.below(2);
    std::vector<TrialCandidate> all(candidates);
    std::vector<double> times(candidates);
    for (std::size_t w = 0; w < candidates; ++w)
      times[w] = 1e-3 * (1 + 0.3 * static_cast<double>(w));
    for (std::size_t w = candidates; w > 1; --w) std::swap(times[w - 1], times[random.below(w)]);
    std::vector<Trial> trials(1 + random.below(6), Trial(all));
    candidates_taken(trials, 400, [&](std::size_t, std::uint32_t candidate) {
      const double late = random.chance(20) ? 1e-3 * static_cast<double>(random.below(50)) / 10 : 0;
      return times[candidate] * (1 + 0.1 * static_cast<double>(random.below(100)) / 100) +
             (random.chance(5) ? late : 0);
    });
    const auto best = std::min_element(times.begin(), times.end()) - times.begin();
    EXPECT_TRUE(trials[0].is_decided());
    EXPECT_EQ(trials[0].kept(), static_cast<std::uint32_t>(best));
  });
}

/// Native calls take 1 ms and the plan 2 ms, but at first the computer is busy with something else
/// whenever native calls come.
TEST(Trial, APlanThatWonByChanceIsFoundOutByASecondLook) {
  for (const bool rechecks_winner : {false, true}) {
    TrialOptions options;
    options.rechecks_winner = rechecks_winner;
    std::vector<Trial> trials(2, Trial({{-1, true}, {-1, false}, {-1, false}}, options));
    std::uint32_t calls = 0;
    const auto taken = candidates_taken(trials, 3000, [&](std::size_t, std::uint32_t candidate) {
      const bool is_busy = calls++ < 45;  // of those that are timed, on both ranks
      return candidate != 0 ? 2e-3 * candidate : is_busy ? 3e-3 : 1e-3;
    });
    EXPECT_TRUE(trials[0].is_decided());
    EXPECT_EQ(trials[0].kept(), rechecks_winner ? 0U : 1U);
    EXPECT_EQ(taken.back(), trials[0].kept());
    // Not soon: it may cost 2 % of the time.
    EXPECT_EQ(std::count(taken.begin() + 60, taken.begin() + 600, 0U), 0);
  }
}

TEST(Trial, TimesOfTheLibraryBeforePlansWereTriedCountForIt) {
  for (const std::uint32_t first : {4U, 32U}) {
    TrialOptions options;
    options.first_calls = first;
    std::vector<Trial> trials(1, Trial({{-1, true}, {-1, false}}, options));
    std::uint32_t timed = 0;
    const auto taken = candidates_taken(trials, 200, [&](std::size_t, std::uint32_t candidate) {
      // Busy in the very first calls, and again as soon as plans are tried.
      const bool is_quiet = ++timed > 3 && timed <= first / 4 * 3;
      return candidate == 0 ? (is_quiet ? 1e-3 : 4e-3) : 2e-3;
    });
    EXPECT_EQ(std::count(taken.begin(), taken.begin() + first, 0U), first);
    EXPECT_EQ(trials[0].kept(), first == 4 ? 1U : 0U);
  }
}

TEST(Trial, APlanThatIsFasterStaysAfterItsSecondLook) {
  for (const std::uint32_t best : {0U, 1U, 2U}) {
    TrialOptions options;
    options.rechecks_winner = true;
    std::vector<Trial> trials(2, Trial({{-1, false}, {-1, true}, {-1, false}}, options));
    const auto taken = candidates_taken(trials, 3000, [&](std::size_t, std::uint32_t candidate) {
      return candidate == best ? 1e-3 : 2e-3;
    });
    EXPECT_TRUE(trials[0].is_decided());
    EXPECT_TRUE(trials[0].has_decision());
    EXPECT_EQ(trials[0].kept(), best);
    EXPECT_EQ(trials[0].times(), (best == 0   ? std::vector<double>{1e-3, 2e-3, 2e-3}
                                  : best == 1 ? std::vector<double>{2e-3, 1e-3, 2e-3}
                                              : std::vector<double>{2e-3, 2e-3, 1e-3}));
    EXPECT_LE(std::count(taken.begin() + 60, taken.end(), 1U), best == 1 ? 3000 : 20);
  }
}

/// Ranks run ahead of each other as they like on communicators that share ranks, each with its own
/// trials; they wait for others in finish() only.
class Interleaved {
 public:
  explicit Interleaved(Random& random) : random_(random) {
    const std::size_t ranks = 2 + random_.below(6);
    at_.assign(ranks, 0);
    programs_.resize(ranks);
    const std::size_t comms = 1 + random_.below(5);
    for (std::size_t c = 0; c < comms; ++c) {
      std::vector<std::size_t> members;
      for (std::size_t r = 0; r < ranks; ++r) {
        if (random_.chance(60)) members.push_back(r);
      }
      if (members.empty()) members.push_back(random_.below(ranks));
      comms_.emplace_back(std::make_unique<Comm>(members.size()));
      for (const std::size_t r : members) {
        comms_.back()->members.emplace(r, std::make_unique<Own>(comms_.back()->meeting));
      }
    }
    for (int call = 0; call < 3000; ++call) {  // one order for all, as MPI wants it
      const std::size_t comm = random_.below(comms);
      for (const auto& [rank, own] : comms_[comm]->members) programs_[rank].push_back(comm);
    }
  }

  void run() {
    for (;;) {
      std::vector<std::size_t> able;
      bool is_done = true;
      for (std::size_t r = 0; r < at_.size(); ++r) {
        if (at_[r] == programs_[r].size()) continue;
        is_done = false;
        const Own& own = *comms_[programs_[r][at_[r]]]->members.at(r);
        if (!own.trial.is_about_to_wait() || own.agreement.all_have_started()) able.push_back(r);
      }
      if (is_done) break;
      ASSERT_FALSE(able.empty()) << "all ranks wait for each other";
      call(able[random_.below(able.size())]);
    }
    for (const auto& comm : comms_) {
      for (const auto& [rank, own] : comm->members) {
        EXPECT_EQ(own->taken, comm->members.begin()->second->taken) << "mixed plans";
      }
    }
  }

 private:
  struct Own {
    explicit Own(Meeting& meeting) : agreement(meeting) {}
    Trial trial{std::vector<TrialCandidate>{{1e-3, false}, {1.1e-3, true}, {1.2e-3, false}}, [] {
                  TrialOptions options;
                  options.rechecks_winner = true;
                  return options;
                }()};
    Member agreement;
    std::vector<std::uint32_t> taken;
  };
  struct Comm {
    explicit Comm(std::size_t size) : meeting(size) {}
    Meeting meeting;
    std::map<std::size_t, std::unique_ptr<Own>> members;
  };

  void call(std::size_t rank) {
    Own& own = *comms_[programs_[rank][at_[rank]++]]->members.at(rank);
    own.taken.push_back(own.trial.begin_call(own.agreement, kAtBegin));
    if (own.trial.is_timed()) {
      own.trial.note(10.0 * own_calls_++, 1e-3 * static_cast<double>(1 + random_.below(100)), 8);
    }
  }

  Random& random_;
  double own_calls_ = 0;
  std::vector<std::unique_ptr<Comm>> comms_;
  std::vector<std::vector<std::size_t>> programs_;  // communicators of each rank's calls
  std::vector<std::size_t> at_;
};

TEST(Trial, NeverBlocksNorMixesOnCommunicatorsThatShareRanks) {
  for_all_seeds(200, [](Random& random) { Interleaved(random).run(); });
}

}  // namespace
}  // namespace espalier::runtime
