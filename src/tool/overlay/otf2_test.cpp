#include "overlay/otf2.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace espalier::overlay {
namespace {

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    ++count;
  }
  return count;
}

/// What otf2-print says of an archive, errors too.
std::string printed(const std::string& folder) {
  const std::string line = "otf2-print " + folder + "/traces.otf2 2>&1";
  FILE* const pipe = ::popen(line.c_str(), "r");
  std::string text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  ::pclose(pipe);
  return text;
}

trace::Call call_of(std::uint32_t communicator, std::vector<trace::Nanoseconds> begin,
                    std::vector<trace::Nanoseconds> end) {
  trace::Call call;
  call.communicator = communicator;
  call.begin = std::move(begin);
  call.end = std::move(end);
  return call;
}

TEST(WriteOtf2, TakesCallsOfARankThatBeganInAnotherOrderThanTheTraceHas) {
  if (!can_write_otf2()) GTEST_SKIP() << "this build has no OTF2";
  if (std::system("otf2-print --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no otf2-print";
  trace::Trace trace;
  trace.hosts = {"a", "b", "c"};
  trace.communicators = {{"row", {0, 2}, ""}, {"column", {1, 2}, ""}};
  trace.plans.resize(1);
  // Rank 2 is late in the row, whose call another rank entered first, and in the column before.
  trace.calls = {call_of(0, {5, 100}, {110, 110}), call_of(1, {10, 20}, {30, 30})};
  const std::string folder = testing::TempDir() + "otf2_test_archive" + std::to_string(getpid());
  std::filesystem::remove_all(folder);
  const auto failed = write_otf2(trace, folder);
  EXPECT_FALSE(failed) << to_string(*failed);
  const std::string text = printed(folder);
  EXPECT_EQ(count_of(text, "ENTER"), 4U) << text;
  EXPECT_EQ(count_of(text, "LEAVE"), 4U) << text;
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace espalier::overlay
