#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "support/flat_calls.hpp"
#include "support/flat_schedules.hpp"
#include "support/for_all_seeds.hpp"
#include "support/long_run.hpp"
#include "verify/verify.hpp"

namespace espalier::collective {
namespace {

using schedule::Collective;
using schedule::Operation;
using namespace testing_support;

class FlatAlgorithmsOfEach : public testing::TestWithParam<int> {
 protected:
  [[nodiscard]] static Operation operation() { return static_cast<Operation>(GetParam()); }

  void verify_one(const schedule::Schedule& schedule) {
    const verify::Verdict verdict = verify::verify(schedule);
    ++schedules_;
    messages_ += verdict.statistics.messages;
    ASSERT_TRUE(verdict.ok()) << schedule.algorithm << ": " << name_of_call(schedule.call) << "\n"
                              << verdict;
  }
  void verify_all(const Collective& call, std::uint64_t segment = 0) {
    for (const Algorithm* algorithm : flat_algorithms(call.operation)) {
      if (HasFatalFailure() || !applicable(*algorithm, call)) continue;
      verify_one(flat_schedule(*algorithm, call));
    }
    const bool is_pipelined = std::find(std::begin(kPipelined), std::end(kPipelined),
                                        operation()) != std::end(kPipelined);
    if (segment != 0 && is_pipelined && !call.irregular()) {
      verify_one(pipeline_schedule(call, segment));
    }
  }
  void TearDown() override {
    std::cout << schedules_ << " schedules, " << messages_ << " messages\n";
  }

 private:
  std::uint64_t schedules_ = 0;
  std::uint64_t messages_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Operation, FlatAlgorithmsOfEach,
                         testing::Range(0, schedule::kOperationCount), [](const auto& test) {
                           std::string name(name_of(static_cast<Operation>(test.param)));
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST_P(FlatAlgorithmsOfEach, AreVerifiedOnEveryCallThatTheInterpreterRuns) {
  for_each_regular_call(operation(), [&](const Collective& call) { verify_all(call); });
  if (has_blocks(operation())) {
    for_each_irregular_call(operation(), [&](const Collective& call) { verify_all(call); });
  }
  for_all_seeds(200, [&](Random& rng) {
    const Collective call = random_call(rng, operation());
    verify_all(call, rng.below(6));
  });
}

TEST_P(FlatAlgorithmsOfEach, AreVerifiedUpTo64Ranks) {
  Collective call;
  call.operation = operation();
  for (call.size = 1; call.size <= 64; ++call.size) {
    // Of the larger ones a sixth, and those beside powers of two.
    const bool is_taken = call.size <= 20 || call.size % 6 == 5 || (call.size + 1) % 32 <= 2;
    if (!is_taken && !is_long_run()) continue;
    for (call.root = 0; call.root < (has_root(operation()) ? call.size : 1); ++call.root) {
      // Most sizes have few roots that differ in kind; all of them where there are not many.
      if (call.size > 20 && call.root % 7 != 0 && call.root + 1 != call.size) continue;
      for (const std::uint64_t count : {call.size / 3, 3 * call.size / 2}) {
        for (const bool commutative : {true, false}) {
          call.count = count;
          call.commutative = commutative;
          verify_all(call);
        }
      }
    }
  }
}

TEST_P(FlatAlgorithmsOfEach, AreVerifiedOn255And256Ranks) {
  for (const Rank size : {255, 256}) {
    for (const bool commutative : {true, false}) {
      if (commutative != (size == 256) && !is_long_run()) continue;  // seconds each
      Collective call;
      call.operation = operation();
      call.size = size;
      call.root = has_root(operation()) ? 101 : 0;
      call.count = 1000;
      call.commutative = commutative;
      verify_all(call);
    }
  }
}

TEST_P(FlatAlgorithmsOfEach, AreVerifiedOnTheCallsWhoseCostsAreInTheTable) {
  Collective call;
  call.operation = operation();
  call.count = 320;
  for (call.size = 1; call.size <= 40; ++call.size) {
    verify_all(call);
    verify_all(call, 10);
  }
}

}  // namespace
}  // namespace espalier::collective
