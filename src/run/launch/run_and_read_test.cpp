#include "launch/run_and_read.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include "launch/ask.hpp"

namespace espalier::launch {
namespace {

TEST(RunAndRead, GivesTheOutputAndTheExitCode) {
  const auto finished = run_and_read({"sh", "-c", "printf 'a\\nb'; exit 3"});
  ASSERT_TRUE(finished) << finished.error();
  EXPECT_EQ(finished->output, "a\nb");
  EXPECT_EQ(finished->exit_code, 3);
}

TEST(RunAndRead, ReadsMoreThanAPipeHolds) {
  const auto finished = run_and_read({"sh", "-c", "head -c 1000000 /dev/zero"});
  ASSERT_TRUE(finished) << finished.error();
  EXPECT_EQ(finished->output, std::string(1'000'000, '\0'));
  EXPECT_EQ(finished->exit_code, 0);
}

TEST(RunAndRead, SaysWhichSignalEndedIt) {
  const auto finished = run_and_read({"sh", "-c", "kill -TERM $$"});
  ASSERT_TRUE(finished) << finished.error();
  EXPECT_EQ(finished->exit_code, 128 + 15);
}

/// A launcher that read ours would take what the user types.
TEST(RunAndRead, GivesNoInput) {
  const auto finished = run_and_read({"sh", "-c", "cat; echo end"});
  ASSERT_TRUE(finished) << finished.error();
  EXPECT_EQ(finished->output, "end\n");
}

TEST(RunAndRead, HandsNoIgnoredSignalsOn) {
  const auto pipe = std::signal(SIGPIPE, SIG_IGN);
  const auto size = std::signal(SIGXFSZ, SIG_IGN);
  const std::vector<std::string> command{"sh", "-c", "grep SigIgn: /proc/self/status"};
  const auto finished = run_and_read(command);
  const std::string asked = output_of(command);
  (void)std::signal(SIGPIPE, pipe);
  (void)std::signal(SIGXFSZ, size);
  ASSERT_TRUE(finished) << finished.error();
  constexpr unsigned long kBoth = (1UL << (SIGPIPE - 1U)) | (1UL << (SIGXFSZ - 1U));
  for (const std::string& line : {finished->output, asked}) {
    ASSERT_TRUE(line.starts_with("SigIgn:\t")) << line;
    EXPECT_EQ(std::stoul(line.substr(8), nullptr, 16) & kBoth, 0U) << line;
  }
}

TEST(RunAndRead, RefusesWhatIsNoProgram) {
  const auto missing = run_and_read({"/nowhere/mpiexec", "-n", "2"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().where, "/nowhere/mpiexec");
  EXPECT_NE(missing.error().what.find("cannot be started"), std::string::npos);
  EXPECT_FALSE(run_and_read({"/dev/null"}));
}

}  // namespace
}  // namespace espalier::launch
