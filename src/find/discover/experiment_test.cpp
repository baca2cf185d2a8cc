#include "discover/experiment.hpp"

#include <gtest/gtest.h>

namespace espalier::discover {
namespace {

std::size_t samples_taken(const Experiment& e, std::span<const std::int64_t> all_ms) {
  std::vector<Time> samples;
  Time passed;
  while (goes_on(e, samples, passed) && samples.size() < all_ms.size()) {
    samples.push_back(milliseconds(all_ms[samples.size()]));
    passed += samples.back();
  }
  return samples.size();
}

TEST(GoesOn, TakesSamplesUntilTheyAreEnoughOrPatienceIsOver) {
  const Experiment e{.repeats = 3, .patience = milliseconds(25)};
  EXPECT_EQ(samples_taken(e, std::vector<std::int64_t>{1, 1, 1, 1}), 3U);
  EXPECT_EQ(samples_taken(e, std::vector<std::int64_t>{20, 20, 20}), 2U);
  EXPECT_EQ(samples_taken(e, std::vector<std::int64_t>{90, 20, 10}), 1U);
}

TEST(GoesOn, RepeatsWhileThatMakesItFaster) {
  const Experiment e{.repeats = 3, .patience = milliseconds(25), .warms_up = true};
  EXPECT_EQ(samples_taken(e, std::vector<std::int64_t>{90, 90, 90}), 2U);
  EXPECT_EQ(samples_taken(e, std::vector<std::int64_t>{90, 70, 50, 45, 20}), 4U);
  EXPECT_EQ(samples_taken(e, std::vector<std::int64_t>{90, 120, 90, 20}), 2U);
  EXPECT_EQ(samples_taken(e, std::vector<std::int64_t>{512, 256, 128, 64, 32, 16, 8, 4, 2}),
            kMostWarmUps);
}

}  // namespace
}  // namespace espalier::discover
