#include "runtime/class_policy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "runtime/call_policies.hpp"
#include "runtime/documented_states_for_test.hpp"
#include "runtime/meeting_for_test.hpp"
#include "support/for_all_seeds.hpp"

namespace espalier::runtime {
namespace {

using select::WhichPlan;
using Step = StateStep;

const Candidate kNativeCall{std::nullopt, "native", 2e-3};
const Candidate kBestPlan{WhichPlan::Best, "tree", 1e-3};
const Candidate kOtherPlan{WhichPlan::RunnerUp, "ring", 1.1e-3};
const Clock kNoTime = [] { return 0.0; };

std::unique_ptr<Agreement> nobody() { return nullptr; }

TEST(ClassPolicy, TheFirstCallThatWouldGainOnACommunicatorIsNativeAndTheNextJoins) {
  PolicyGround ground;
  ClassPolicy one(ground, 0), other(ground, 0);
  one.begin({kBestPlan}, std::nullopt);
  other.begin({kBestPlan}, std::nullopt);
  const Take first = one.next(kNoTime);
  EXPECT_FALSE(first.which);
  EXPECT_EQ(first.why, Reason::FirstCalls);
  EXPECT_FALSE(first.is_for_good);
  EXPECT_EQ(other.next(kNoTime).first, Take::First::Join) << "one call for all classes";
  ground.agreement = nobody;
  EXPECT_EQ(other.joined(kNoTime).which, WhichPlan::Best);
}

TEST(ClassPolicy, PlansThatAreDemandedRunFromTheFirstCall) {
  PolicyGround ground;
  ground.spares_first = false;
  ClassPolicy policy(ground, 0);
  policy.begin({kBestPlan}, std::nullopt);
  EXPECT_EQ(policy.next(kNoTime).first, Take::First::Join);
}

TEST(ClassPolicy, FewCallsAreNativeAndAskForNoCandidates) {
  PolicyGround ground;
  ground.is_even = true;
  ClassPolicy policy(ground, native_calls_first(ground));
  int native = 0;
  for (; !policy.wants_candidates(); ++native) {
    const Take take = policy.next(kNoTime);
    EXPECT_FALSE(take.which);
    EXPECT_EQ(take.why, Reason::OneLevel);
    EXPECT_FALSE(take.is_for_good) << "the calls must be counted";
  }
  EXPECT_EQ(native, 64);
  EXPECT_TRUE(policy.state() == ClassState::Few);
}

TEST(ClassPolicy, NothingToTryIsNativeForGoodUnlessLinksMayChange) {
  for (const bool is_near : {true, false}) {
    PolicyGround ground;
    ground.is_near = is_near;
    ClassPolicy policy(ground, 0);
    policy.begin({kNativeCall}, std::nullopt);
    const Take take = policy.next(kNoTime);
    EXPECT_FALSE(take.which);
    EXPECT_EQ(take.why, Reason::NoGain);
    EXPECT_EQ(take.is_for_good, is_near);
    EXPECT_EQ(ground.gainful_calls, 0U);
  }
}

TEST(ClassPolicy, ADecisionOfAnEarlierRunNeedsNoTrial) {
  PolicyGround ground;
  ground.agreement = nobody;  // an agreement would crash
  ClassPolicy policy(ground, 0);
  policy.begin({kBestPlan, kNativeCall, kOtherPlan}, "ring");
  EXPECT_TRUE(policy.has_decision());
  EXPECT_EQ(policy.decision(), "ring");
  for (int call = 0; call < 3; ++call) {
    const Take take = policy.next(kNoTime);
    EXPECT_EQ(take.which, WhichPlan::RunnerUp);
    EXPECT_FALSE(take.is_timed);
  }
  ClassPolicy native(ground, 0);
  native.begin({kNativeCall, kBestPlan}, "native");
  EXPECT_EQ(native.next(kNoTime).why, Reason::Slower);
  EXPECT_TRUE(native.next(kNoTime).is_for_good);
}

/// Ranks that remember it do not ask again, so whoever asks must find all as it was.
TEST(ClassPolicy, WhatIsNativeForGoodChangesNothing) {
  PolicyGround ground;
  ClassPolicy native(ground, 0), planned(ground, 0);
  native.begin({kNativeCall, kBestPlan}, "native");
  for (int call = 0; call < 3; ++call) {
    const Take take = native.next(kNoTime);
    EXPECT_FALSE(take.which);
    EXPECT_TRUE(take.first == Take::First::Nothing);
    EXPECT_TRUE(take.is_for_good);
  }
  EXPECT_EQ(ground.gainful_calls, 0U);
  planned.begin({kNativeCall, kBestPlan}, "tree");
  const Take first = planned.next(kNoTime);
  EXPECT_FALSE(first.which);
  EXPECT_FALSE(first.is_for_good) << "the next call joins";
  EXPECT_TRUE(planned.next(kNoTime).first == Take::First::Join);
  ground.agreement = nobody;
  EXPECT_EQ(planned.joined(kNoTime).which, WhichPlan::Best);
  ClassPolicy other(ground, 0);
  other.begin({kBestPlan, kNativeCall, kOtherPlan}, "ring");
  EXPECT_EQ(other.joined(kNoTime).which, WhichPlan::RunnerUp) << "what was found out";
}

TEST(ClassPolicy, ThePlanThatLeadsIsPredictedOrKnownFromAnEarlierRun) {
  PolicyGround ground;
  ground.agreement = nobody;
  ClassPolicy predicted(ground, 0), known(ground, 0), native(ground, 0), alone(ground, 0);
  predicted.begin({kBestPlan, kNativeCall, kOtherPlan}, std::nullopt);
  known.begin({kBestPlan, kNativeCall, kOtherPlan}, "ring");
  native.begin({kBestPlan, kNativeCall}, "native");
  alone.begin({kBestPlan}, std::nullopt);
  ASSERT_TRUE(predicted.lead());
  EXPECT_EQ(predicted.lead()->which, WhichPlan::Best);
  EXPECT_FALSE(predicted.lead()->is_measured);
  EXPECT_EQ(predicted.lead()->native, 2e-3);
  ASSERT_TRUE(known.lead());
  EXPECT_EQ(known.lead()->which, WhichPlan::RunnerUp);
  EXPECT_TRUE(known.lead()->is_clear());
  EXPECT_FALSE(native.lead()) << "native was faster";
  EXPECT_FALSE(alone.lead()) << "without trials nothing is compared";
}

TEST(CallPolicies, ForgetsAllButWhatWasJoined) {
  CallPolicies policies;
  int asked = 0;
  const auto propose = [&](const SharedCall&) {
    ++asked;
    return std::vector{kBestPlan};
  };
  policies.begin(false, true, {}, 0, nullptr, propose);
  policies.join(nobody);
  const SharedCall call{schedule::Operation::Broadcast, 0, 100};
  EXPECT_EQ(policies.at(call).next(kNoTime).which, WhichPlan::Best);
  static_cast<void>(policies.at(call));
  EXPECT_EQ(asked, 1);
  policies.begin(false, true, {}, 0, nullptr, propose);
  EXPECT_EQ(policies.at(call).next(kNoTime).which, WhichPlan::Best);
  EXPECT_EQ(asked, 2);
  policies.leave();
  EXPECT_EQ(policies.at(call).next(kNoTime).why, Reason::FirstCalls);
}

/// A program with ever new sizes or roots does not take ever more memory.
/// One rank alone may ask.
TEST(CallPolicies, AnOutlookChangesNothing) {
  CallPolicies policies;
  policies.begin(false, true, {}, 0, nullptr,
                 [](const SharedCall&) { return std::vector{kBestPlan}; });
  policies.join(nobody);
  const SharedCall call{schedule::Operation::Broadcast, 0, 100};
  EXPECT_EQ(policies.outlook(call).take.which, WhichPlan::Best);
  EXPECT_FALSE(policies.knows(call));
  EXPECT_EQ(policies.at(call).next(kNoTime).which, WhichPlan::Best);
  EXPECT_EQ(policies.outlook(call).take.which, WhichPlan::Best);
  EXPECT_TRUE(policies.knows(call));
}

TEST(CallPolicies, AnOutlookOfAnUnknownClassIsThatOfItsFirstCall) {
  CallPolicies policies;
  policies.begin(true, true, {}, 0, nullptr, [](const SharedCall&) {
    return std::vector{kNativeCall, kBestPlan};
  });
  const SharedCall call{schedule::Operation::Broadcast, 0, 100};
  EXPECT_EQ(policies.outlook(call).state, ClassState::Few);
  EXPECT_FALSE(policies.outlook(call).take.which);
  EXPECT_FALSE(policies.knows(call));
}

TEST(CallPolicies, RemembersABoundedNumberOfClasses) {
  CallPolicies policies;
  std::size_t asked = 0;
  policies.begin(false, true, {}, 0, nullptr, [&](const SharedCall&) {
    ++asked;
    return std::vector{kBestPlan};
  });
  policies.join(nobody);
  const auto call = [&](std::size_t root) {
    SharedCall one{schedule::Operation::Broadcast, 0, 100};
    one.root = static_cast<Rank>(root);
    EXPECT_EQ(policies.at(one).next(kNoTime).which, WhichPlan::Best);
  };
  for (int time = 0; time < 2; ++time) {
    for (std::size_t root = 0; root < CallPolicies::kMostClasses; ++root) call(root);
    EXPECT_EQ(asked, CallPolicies::kMostClasses);
  }
  call(CallPolicies::kMostClasses);  // one too many: all are forgotten
  call(0);
  EXPECT_EQ(asked, CallPolicies::kMostClasses + 2);
}

/// What a class of calls meets.
struct Scenario {
  std::size_t ranks = 1;
  PolicyGround ground;
  bool is_joined = false;
  std::vector<Candidate> candidates;
  std::optional<std::string> known;
  std::array<double, 3> seconds{};  ///< times of native, best plan, other plan
  std::array<double, 3> later{};    ///< the same from call `changes_at` on
  std::uint64_t changes_at = 0;
  std::uint64_t calls = 0;
  bool varies = false;  ///< lengths do
};

double random_time(Random& random) {
  const double scales[] = {1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2};
  return scales[random.below(6)] * (1 + static_cast<double>(random.below(40)) / 10);
}

std::array<double, 3> random_times(Random& random) {
  const double usual = random_time(random);
  return {usual, random.chance(50) ? usual * 0.7 : random_time(random), random_time(random)};
}

Scenario random_scenario(Random& random) {
  Scenario s;
  s.ranks = 1 + random.below(3);
  s.ground.is_even = random.chance(30);
  s.ground.is_near = random.chance(50);
  s.ground.spares_first = random.chance(70);
  s.is_joined = random.chance(30);
  const bool is_native_first = random.chance(50);
  s.candidates = {is_native_first ? kNativeCall : kBestPlan};
  if (random.chance(85)) s.candidates.push_back(is_native_first ? kBestPlan : kNativeCall);
  if (s.candidates.size() == 2 && random.chance(50)) s.candidates.push_back(kOtherPlan);
  for (Candidate& one : s.candidates) one.predicted = random.chance(50) ? -1 : random_time(random);
  if (random.chance(5)) s.known = s.candidates.back().name;
  s.seconds = random_times(random);
  s.later = random_times(random);
  s.calls = 400 + random.below(4000);
  s.changes_at = random.below(s.calls);
  s.varies = random.chance(10);
  return s;
}

/// Over far links a plan that won, whose calls take four times as long from some call on: in its
/// long run, while the ranks agree on that, or later.
Scenario slower_from(std::uint64_t call) {
  Scenario s;
  s.ground.is_near = false;
  s.is_joined = true;
  s.candidates = {kBestPlan, kNativeCall};
  for (Candidate& one : s.candidates) one.predicted = -1;
  s.seconds = {20e-3, 10e-3, 0};
  s.later = {20e-3, 40e-3, 0};
  s.changes_at = call;
  s.calls = call + 60;
  return s;
}

/// A plan over far links that takes what was predicted, and native is predicted to be far behind.
Scenario as_predicted() {
  Scenario s = slower_from(0);
  s.candidates = {kBestPlan, kNativeCall};
  s.later = {2e-3, 1e-3, 0};
  return s;
}

/// Drives the policies of one class on ranks in step, and notes which state led to which.
class Driven {
 public:
  Driven(Scenario scenario, Random& random, std::set<Step>& seen)
      : s_(std::move(scenario)), random_(random), seen_(seen) {
    for (std::size_t r = 0; r < s_.ranks; ++r) ranks_.push_back(std::make_unique<One>(s_.ground));
    if (s_.is_joined) join();
    new_policies();
  }

  void run() {
    for (std::uint64_t call = 0; call < s_.calls; ++call) {
      const Take take = next();
      const auto& seconds = call < s_.changes_at ? s_.seconds : s_.later;
      const double took = seconds[!take.which ? 0 : *take.which == WhichPlan::RunnerUp ? 2 : 1];
      for (const auto& one : ranks_) {
        if (take.is_timed) one->policy->note(now_, took, s_.varies ? 100 + call : 100);
      }
      now_ += took * (random_.chance(1) ? 50 : 1);
    }
  }

 private:
  struct One {
    explicit One(PolicyGround shared) : ground(std::move(shared)) {}
    PolicyGround ground;
    std::optional<ClassPolicy> policy;
    std::string last;
  };

  void new_policies() {
    for (const auto& one : ranks_) {
      one->policy.emplace(one->ground, s_.known ? 0 : native_calls_first(one->ground));
      observe(*one);
    }
  }
  /// Each class has two agreements: the trial's and the watch's, made in the same order everywhere.
  void join() {
    for (const auto& one : ranks_) {
      one->ground.agreement = [this, made = std::size_t{0}]() mutable {
        if (made == meetings_.size()) {
          meetings_.push_back(std::make_unique<Meeting>(ranks_.size()));
        }
        return std::make_unique<Member>(*meetings_[made++]);
      };
    }
  }
  void observe(One& one) {
    const std::string now(name_of(one.policy->state()));
    if (!one.last.empty() && one.last != now) seen_.insert({one.last, now});
    one.last = now;
  }
  template <typename Ask>
  Take ask_all(Ask ask) {
    std::vector<Take> answers;
    for (const auto& one : ranks_) {
      answers.push_back(ask(*one->policy));
      observe(*one);
    }
    for (const Take& other : answers) {
      EXPECT_EQ(other.first, answers[0].first);
      EXPECT_EQ(other.which, answers[0].which) << "mixed plans";
      EXPECT_EQ(other.is_for_good, answers[0].is_for_good);
    }
    return answers[0];
  }
  Take next() {
    const Clock clock = [this] { return now_; };
    for (const auto& one : ranks_) {
      if (one->policy->wants_candidates()) one->policy->begin(s_.candidates, s_.known);
      observe(*one);
    }
    // Agreements are started by all ranks before any of them finishes: ranks in step.
    Take take = ask_all([&](ClassPolicy& policy) { return policy.next(clock); });
    if (take.first == Take::First::Join) {
      join();
      take = ask_all([&](ClassPolicy& policy) { return policy.joined(clock); });
    }
    if (take.first == Take::First::Measure) {
      if (random_.chance(50)) {
        take = ask_all([&](ClassPolicy& policy) { return policy.unchanged(); });
      } else {
        new_policies();
        return next();
      }
    }
    return take;
  }

  const Scenario s_;
  Random& random_;
  std::set<Step>& seen_;
  std::vector<std::unique_ptr<One>> ranks_;
  std::vector<std::unique_ptr<Meeting>> meetings_;
  double now_ = 0;
};

TEST(ClassPolicy, ItsStatesAreThoseOfTheDocuments) {
  EXPECT_EQ(DocumentedStates("state").names, as_strings(kClassStateNames));
}

TEST(ClassPolicy, LeadsFromStateToStateAsTheDocumentsSayOnAllRanksAlike) {
  std::set<Step> seen;
  for_all_seeds(250, [&](Random& random) { Driven(random_scenario(random), random, seen).run(); });
  Random random(1);
  Driven(as_predicted(), random, seen).run();
  for (std::uint64_t call = 30; call < 130; ++call) Driven(slower_from(call), random, seen).run();
  EXPECT_EQ(DocumentedStates("state").steps, seen);
}

/// Which steps there are only real ranks can show (mpi::Joining): the names must be the same.
TEST(JoinState, ItsStatesAreThoseOfTheDocuments) {
  const DocumentedStates documented("state of joining");
  EXPECT_EQ(documented.names, as_strings(kJoinStateNames));
  for (const auto& [state, next] : documented.steps) {
    EXPECT_NE(std::find(documented.names.begin(), documented.names.end(), next),
              documented.names.end())
        << state << " leads to " << next;
  }
}

}  // namespace
}  // namespace espalier::runtime
