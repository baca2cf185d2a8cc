#include "overlay/otf2.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <utility>

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
std::string printed(const std::string& folder, const std::string& options = "") {
  const std::string line = "otf2-print " + options + " " + folder + "/traces.otf2 2>&1";
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

std::string archive_folder() {
  const std::string folder = testing::TempDir() + "otf2_test_archive" + std::to_string(getpid());
  std::filesystem::remove_all(folder);
  return folder;
}

bool can_be_printed() {
  return can_write_otf2() && std::system("otf2-print --version > /dev/null 2>&1") == 0;
}

trace::Plan plan_of(schedule::Operation operation, const std::string& name, bool irregular) {
  trace::Plan plan;
  plan.call = {operation, 2, 1, 16, Bytes{4}, true, {}};
  plan.name = name;
  plan.irregular = irregular;
  return plan;
}

/// The line of a printed text that holds all of these words; "" if there is none.
std::string line_with(const std::string& text, const std::vector<std::string>& words) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (std::all_of(words.begin(), words.end(),
                    [&](const auto& word) { return line.find(word) != std::string::npos; })) {
      return line;
    }
  }
  return "";
}

TEST(WriteOtf2, GivesEachOperationItsRegionAndRoleAndEachPlanItsOwn) {
  if (!can_be_printed()) GTEST_SKIP() << "no OTF2 here";
  using schedule::Operation;
  trace::Trace trace;
  trace.hosts = {"a", "b"};
  trace.communicators = {{"world", {0, 1}, ""}};
  trace.plans = {plan_of(Operation::Broadcast, "binomial", false),
                 plan_of(Operation::Broadcast, "flat", false),
                 plan_of(Operation::Gather, "linear", true),
                 plan_of(Operation::NeighbourAlltoall, "direct", true)};
  for (std::uint32_t p = 0; p < trace.plans.size(); ++p) {
    const trace::Nanoseconds at = 100 * p;
    trace.calls.push_back(call_of(0, {at, at}, {at + 50, at + 60}));
    trace.calls.back().plan = p;
  }
  const std::string folder = archive_folder();
  const auto failed = write_otf2(trace, folder);
  ASSERT_FALSE(failed) << to_string(*failed);
  const std::string regions = printed(folder, "-G");
  for (const auto& [name, role] :
       {std::pair("\"MPI_Bcast\"", "COLL_ONE2ALL"), std::pair("\"MPI_Gatherv\"", "COLL_ALL2ONE"),
        std::pair("\"MPI_Neighbor_alltoall\"", "COLL_OTHER"),
        std::pair("\"broadcast of 64 B: binomial\"", "POINT2POINT"),
        std::pair("\"broadcast of 64 B: flat\"", "POINT2POINT"),
        std::pair("\"gather: linear\"", "POINT2POINT")}) {
    EXPECT_NE(line_with(regions, {"REGION", name, role}), "") << name << "\n" << regions;
  }
  EXPECT_EQ(count_of(regions, "REGION "), 7U) << regions;  // three functions, four plans
  const std::string events = printed(folder);
  EXPECT_EQ(count_of(regions + events, "warning"), 0U) << regions;
  EXPECT_EQ(count_of(events, "ENTER"), 16U) << events;
  EXPECT_EQ(count_of(events, "LEAVE"), 16U) << events;
  EXPECT_EQ(count_of(events, "MPI_COLLECTIVE_END"), 6U) << events;  // OTF2 knows no neighbourhoods
  // The root of a broadcast hands in what the other gets.
  EXPECT_NE(line_with(events, {"MPI_COLLECTIVE_END", "BCAST", "Sent: 64", "Received: 0"}), "")
      << events;
  EXPECT_NE(line_with(events, {"MPI_COLLECTIVE_END", "BCAST", "Sent: 0", "Received: 64"}), "");
  std::filesystem::remove_all(folder);
}

TEST(WriteOtf2, TakesCallsOfARankThatBeganInAnotherOrderThanTheTraceHas) {
  if (!can_be_printed()) GTEST_SKIP() << "no OTF2 here";
  trace::Trace trace;
  trace.hosts = {"a", "b", "c"};
  trace.communicators = {{"row", {0, 2}, ""}, {"column", {1, 2}, ""}};
  trace.plans.resize(1);
  // Rank 2 is late in the row, whose call another rank entered first, and in the column before.
  trace.calls = {call_of(0, {5, 100}, {110, 110}), call_of(1, {10, 20}, {30, 30})};
  const std::string folder = archive_folder();
  const auto failed = write_otf2(trace, folder);
  EXPECT_FALSE(failed) << to_string(*failed);
  const std::string text = printed(folder);
  EXPECT_EQ(count_of(text, "ENTER"), 8U) << text;
  EXPECT_EQ(count_of(text, "LEAVE"), 8U) << text;
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace espalier::overlay
