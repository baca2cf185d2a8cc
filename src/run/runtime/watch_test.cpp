#include "runtime/watch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "runtime/meeting_for_test.hpp"
#include "support/for_all_seeds.hpp"

namespace espalier::runtime {
namespace {

/// Ranks in step; @return the calls before which there was an alarm.
class Watched {
 public:
  explicit Watched(std::size_t ranks) : meeting_(ranks), watches_(ranks) {
    for (std::size_t r = 0; r < ranks; ++r) members_.push_back(std::make_unique<Member>(meeting_));
  }
  template <typename TimeOf>
  std::vector<int> run(int calls, bool had_changed, TimeOf time_of) {
    std::vector<int> alarms;
    for (int i = 0; i < calls; ++i, ++call_) {
      bool first = false;
      for (std::size_t r = 0; r < watches_.size(); ++r) {
        const bool alarm = watches_[r].begin_call(*members_[r], [] { return 0.0; });
        if (r == 0) first = alarm;
        EXPECT_EQ(alarm, first) << "ranks disagree at call " << call_;
        if (alarm) watches_[r].settle(had_changed);
        if (watches_[r].is_timed()) watches_[r].note(time_of(r), 8);
      }
      if (first) alarms.push_back(call_);
    }
    return alarms;
  }

 private:
  Meeting meeting_;
  std::vector<Watch> watches_;
  std::vector<std::unique_ptr<Member>> members_;
  int call_ = 0;
};

TEST(Watch, SeesASlowLinkWithinThirtyCallsAndItsReturn) {
  for (int before = 20; before < 60; ++before) {  // at any call of a window
    Watched ranks(3);
    EXPECT_TRUE(ranks.run(before, true, [](std::size_t) { return 2e-3; }).empty());
    const auto slow = ranks.run(40, true, [](std::size_t) { return 40e-3; });
    ASSERT_EQ(slow.size(), 1U);
    EXPECT_LE(slow[0], before + 30);
    const auto quick = ranks.run(40, true, [](std::size_t) { return 2e-3; });
    ASSERT_EQ(quick.size(), 1U);
    EXPECT_LE(quick[0], before + 40 + 30);
  }
}

TEST(Watch, IsQuietUnderNoise) {
  for_all_seeds(20, [](Random& random) {
    Watched ranks(1 + random.below(5));
    const auto alarms = ranks.run(10000, true, [&](std::size_t) {
      const double noise = 0.1 * (static_cast<double>(random.below(2001)) / 1000 - 1);
      return 2e-3 * (1 + noise) + (random.chance(5) ? 50e-3 : 0);  // and now and then a late call
    });
    EXPECT_TRUE(alarms.empty());
  });
}

TEST(Watch, TakesWhatIsNoLinksDoingForUsualAndGrowsPatient) {
  Watched ranks(2);
  double now = 1e-3;
  std::size_t alarms = 0;
  for (int phase = 0; phase < 20; ++phase) {  // a program that goes back and forth
    alarms += ranks.run(100, false, [&](std::size_t) { return now; }).size();
    now = now > 2e-3 ? 1e-3 : 5e-3;
  }
  EXPECT_GE(alarms, 2U);
  EXPECT_LE(alarms, 6U);
}

/// An agreement that is there some seconds after its start.
class Far : public Agreement {
 public:
  Far(double& now, double seconds) : now_(now), seconds_(seconds) {}
  void start(std::span<const double> mine) override {
    mine_.assign(mine.begin(), mine.end());
    begin_ = now_;
  }
  std::vector<double> finish() override {
    waited += std::max(0.0, begin_ + seconds_ - now_);
    ++agreements;
    now_ = std::max(now_, begin_ + seconds_);
    return mine_;
  }
  double waited = 0;
  int agreements = 0;

 private:
  double& now_;
  double seconds_, begin_ = 0;
  std::vector<double> mine_;
};

TEST(Watch, ShortCallsDoNotWaitForFarRanksAgainAndAgain) {
  for (const double call : {1e-6, 30e-6, 1e-3, 20e-3}) {
    double now = 0;
    Far far(now, 40e-3);
    Watch watch;
    const Clock clock = [&] { return now; };
    int timed = 0;
    for (int i = 0; i < 100000; ++i) {
      EXPECT_FALSE(watch.begin_call(far, clock));
      if (watch.is_timed()) {
        watch.note(call, 8);
        ++timed;
      }
      now += call;
    }
    // Clocks are for calls that are long beside them.
    EXPECT_TRUE(call < 1e-3 ? timed <= 10000 : timed > 10000) << timed << " of " << call;
    EXPECT_GE(far.agreements, 20) << call;
    // A few times at first, and where even the most calls are too few.
    const double most = call == 1e-6 ? far.agreements * 40e-3 : 4 * 40e-3 + 0.02 * now;
    EXPECT_LE(far.waited, most) << call;
  }
}

TEST(Watch, ChangesAreStillSeenWithinThirtyCallsWhenCallsBecomeSlow) {
  double now = 0;
  Far far(now, 40e-3);
  Watch watch;
  const Clock clock = [&] { return now; };
  for (int i = 0; i < 3000; ++i) {
    EXPECT_FALSE(watch.begin_call(far, clock));
    if (watch.is_timed()) watch.note(20e-3, 8);
    now += 20e-3;
  }
  int alarm = -1;
  for (int i = 0; i < 60 && alarm < 0; ++i) {
    if (watch.begin_call(far, clock)) alarm = i;
    if (watch.is_timed()) watch.note(90e-3, 8);
    now += 90e-3;
  }
  EXPECT_GE(alarm, 0);
  EXPECT_LE(alarm, 30);
}

TEST(Watch, PassesOverCallsOfOtherLengths) {
  Meeting meeting(1);
  Member member(meeting);
  Watch watch;
  for (int call = 0; call < 200; ++call) {
    EXPECT_FALSE(watch.begin_call(member, [] { return 0.0; }));
    const bool is_long = call > 100 && call % 2 == 0;
    watch.note(is_long ? 9e-3 : 1e-3, is_long ? 1000 : 100);
  }
}

}  // namespace
}  // namespace espalier::runtime
