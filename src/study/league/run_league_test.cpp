// A script stands in for smpirun.
#include "league/run_league.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "topology/readers.hpp"

namespace espalier::league {
namespace {

using schedule::Operation;
namespace fs = std::filesystem;

/// A folder with an smpirun in it that goes first in PATH.
class PlayTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "espalier-play-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    path_ = std::getenv("PATH");
    setenv("PATH", (folder_.string() + ":" + path_).c_str(), 1);
    settings_.run = {"smpi_times", 1, 60};
    settings_.folder = folder_ / "machines";
    settings_.keep = [this](const Result& result) { kept_.push_back(result); };
    task_.machines.push_back(
        {"small", "block", topology::parse_synthetic("proc:2(1us,1Gbit/s)").value()});
    task_.contenders = {ours()};
    task_.operations = {Operation::Broadcast};
    task_.sizes = {8, 4096, 65536};
  }
  void TearDown() override {
    setenv("PATH", path_.c_str(), 1);
    fs::remove_all(folder_);
  }

  /// Prints the time of every call, until `last` comes after that of `size`.
  void have_smpirun(const std::string& size, const std::string& last) {
    std::ofstream script(folder_ / "smpirun");
    script << "#!/bin/sh\n"
              "for word; do case $word in broadcast:*)\n"
              "  echo \"broadcast,${word#*:},1.5,1,1 of 1,chain\"\n"
              "  [ ${word#*:} = "
           << size << " ] && { " << last << "; }\n esac; done\nexit 0\n";
    script.close();
    fs::permissions(folder_ / "smpirun", fs::perms::owner_all);
  }
  std::vector<std::uint64_t> kept_sizes() const {
    std::vector<std::uint64_t> sizes;
    for (const Result& result : kept_) {
      if (result.state == ResultState::Right) sizes.push_back(result.event.bytes);
    }
    return sizes;
  }

  fs::path folder_;
  std::string path_;
  LeagueSettings settings_;
  LeagueTask task_;
  std::vector<Result> kept_;
};

TEST_F(PlayTest, KeepsNothingOfWhatWasInterruptedAndPlaysItWhenResumed) {
  for (const char* signal : {"TERM", "INT", "HUP"}) {
    kept_.clear();
    have_smpirun("8", std::string("kill -") + signal + " $$");
    const auto stopped = run_league(task_, settings_, {});
    ASSERT_FALSE(stopped.has_value()) << signal;
    EXPECT_EQ(stopped.error().what, "interrupted");
    ASSERT_EQ(kept_.size(), 1U) << signal;
    EXPECT_EQ(kept_sizes(), std::vector<std::uint64_t>{8});
    have_smpirun("none", "true");
    const auto resumed = run_league(task_, settings_, std::vector<Result>(kept_));
    ASSERT_TRUE(resumed.has_value());
    ASSERT_EQ(resumed->size(), 3U);
    for (const Result& result : *resumed) EXPECT_EQ(result.state, ResultState::Right);
    EXPECT_EQ(kept_sizes(), (std::vector<std::uint64_t>{8, 4096, 65536})) << "8 B once only";
  }
}

TEST_F(PlayTest, GoesOnWithoutWhatWasKilledAndDoesNotKeepIt) {
  have_smpirun("8", "kill -KILL $$");
  const auto results = run_league(task_, settings_, {});
  ASSERT_TRUE(results.has_value());
  ASSERT_EQ(results->size(), 3U);
  EXPECT_EQ((*results)[1].state, ResultState::Failed);
  for (const Result& result : kept_) EXPECT_EQ(result.state, ResultState::Right);
}

TEST_F(PlayTest, KeepsAnAbortAsAFailureOfThatEventOnly) {
  have_smpirun("8", "kill -ABRT $$");
  const auto results = run_league(task_, settings_, {});
  ASSERT_TRUE(results.has_value());
  ASSERT_EQ(kept_.size(), 3U);
  EXPECT_EQ(kept_[1].state, ResultState::Failed);
  EXPECT_EQ(kept_[1].event.bytes, 4096U);
  EXPECT_EQ(kept_sizes(), (std::vector<std::uint64_t>{8, 65536}));
}

TEST_F(PlayTest, MarksWhatTakesTooLong) {
  settings_.run.seconds = 1;
  have_smpirun("4096", "while :; do :; done");
  const auto results = run_league(task_, settings_, {});
  ASSERT_TRUE(results.has_value());
  ASSERT_EQ(kept_.size(), 3U);
  EXPECT_EQ(kept_[2].state, ResultState::TooLong);
  EXPECT_EQ(kept_sizes(), (std::vector<std::uint64_t>{8, 4096}));
}

TEST_F(PlayTest, PlaysAScanForOneSelectorAndBelievesItOfAll) {
  task_.contenders = *selectors_called("ompi,mpich");
  task_.contenders.insert(task_.contenders.begin(), ours());
  task_.operations = {Operation::Scan, Operation::Reduce};
  task_.sizes = {8};
  std::ofstream script(folder_ / "smpirun");
  script << "#!/bin/sh\nfor word; do case $word in scan:*|reduce:*)\n"
            "  echo \"${word%:*},${word#*:},1.5,1,1 of 1,chain\"\n esac; done\n";
  script.close();
  fs::permissions(folder_ / "smpirun", fs::perms::owner_all);
  const auto results = run_league(task_, settings_, {});
  ASSERT_TRUE(results.has_value());
  ASSERT_EQ(results->size(), 6U);
  EXPECT_EQ((*results)[2].contender, "mpich");
  EXPECT_EQ((*results)[2].event.operation, Operation::Scan);
  EXPECT_EQ((*results)[2].state, ResultState::Right);
  EXPECT_EQ(kept_.size(), 5U) << "one scan less";
}

TEST(EndingOf, TellsWhoEndedARun) {
  const RunSettings settings{"p", 1, 60};
  EXPECT_EQ(ending_of(0, 1, settings), RunEnding::ByItself);
  EXPECT_EQ(ending_of(134, 1, settings), RunEnding::ByItself);
  EXPECT_EQ(ending_of(139, 1, settings), RunEnding::ByItself);
  EXPECT_EQ(ending_of(124, 60, settings), RunEnding::TooLong);
  EXPECT_EQ(ending_of(152, 5, settings), RunEnding::TooLong);
  EXPECT_EQ(ending_of(137, 1200, settings), RunEnding::TooLong);
  EXPECT_EQ(ending_of(137, 5, settings), RunEnding::Killed);
  EXPECT_EQ(ending_of(130, 5, settings), RunEnding::Interrupted);
  EXPECT_EQ(ending_of(143, 5, settings), RunEnding::Interrupted);
}

}  // namespace
}  // namespace espalier::league
