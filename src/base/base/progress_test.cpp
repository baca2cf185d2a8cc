#include "base/progress.hpp"

#include <gtest/gtest.h>

namespace espalier {
namespace {

TEST(Progress, HasABarAndTheTimeLeftOnATerminal) {
  EXPECT_EQ(progress_line("planning", 15, 30, 8, ProgressPlace::Terminal),
            "planning [" + std::string(15, '#') + std::string(15, '.') + "] 15 of 30, 8 s left");
  EXPECT_EQ(progress_line("planning", 1, 101, 6, ProgressPlace::Terminal),
            "planning [" + std::string(30, '.') + "] 1 of 101, 10 min left");
}

TEST(Progress, IsALineWithoutABarElsewhere) {
  EXPECT_EQ(progress_line("planning", 30, 30, 8, ProgressPlace::Lines),
            "planning: 30 of 30, 0 s left");
}

TEST(Progress, TellsOfWorkOfWhichNothingIsDoneYet) {
  EXPECT_EQ(progress_line("placing", 0, 10, 2, ProgressPlace::Terminal),
            "placing [" + std::string(30, '.') + "] 0 of 10, 2 s so far");
  EXPECT_EQ(progress_line("placing", 0, 10, 180, ProgressPlace::Lines),
            "placing: 0 of 10, 3 min so far");
}

TEST(Progress, GuessesTheTimeLeftOfUnequalPartsFromHalfOfThemOn) {
  const auto told = [](std::size_t done) {
    return progress_line("deciding", done, 12, 60, ProgressPlace::Lines, ProgressParts::Unequal);
  };
  EXPECT_EQ(told(1), "deciding: 1 of 12, 60 s so far");
  EXPECT_EQ(told(5), "deciding: 5 of 12, 60 s so far");
  EXPECT_EQ(told(6), "deciding: 6 of 12, 60 s left");
}

TEST(Progress, ByTheClockEndsWithItsWork) {
  for (int i = 0; i < 50; ++i) {
    Progress progress("by the clock", 3, Progress::Told::ByTheClock);
    progress.name("still");
    progress.step();
  }
}

TEST(Progress, WhatIsAnnouncedFirstIsToldAtOnce) {
  testing::internal::CaptureStderr();
  {
    Progress progress("measuring", 3);
    progress.announce("measuring MPICH");
    progress.step();
  }
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_NE(told.find("measuring MPICH"), std::string::npos) << told;
  EXPECT_NE(told.find("0 of 3"), std::string::npos) << told;
}

TEST(Progress, ShortWorkAndQuietSayNothing) {
  testing::internal::CaptureStderr();
  {
    Progress progress("short", 3);
    for (int i = 0; i < 5; ++i) progress.step();  // beyond the end too
  }
  be_quiet();
  EXPECT_EQ(progress_place(), ProgressPlace::Nowhere);
  {
    Progress progress("quiet", 1);
    progress.step();
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace espalier
