#include <gtest/gtest.h>

#include "reproduce/langer.hpp"

namespace espalier::reproduce {
namespace {

TEST(LangerHere, TimesEverySizeThatTheComputerBears) {
  std::vector<Rank> asked;
  const auto pretend = [&](const SplitRequest& request) -> Expected<std::vector<TimedSplit>> {
    asked.push_back(request.ranks);
    EXPECT_EQ(request.mpi, "openmpi");
    return std::vector<TimedSplit>{{request.ranks, 1, 30, 10, 20, 0},
                                   {request.ranks, 2, 10, 10, 20, 0}};
  };
  HereOptions options;
  options.mpi = "openmpi";
  options.most_processes = 20;
  const auto exhibits = langer_here(options, pretend);
  ASSERT_TRUE(exhibits) << exhibits.error();
  EXPECT_EQ(asked, (std::vector<Rank>{2, 4, 8, 16}));
  const Exhibit& table = exhibits->at(0);
  EXPECT_EQ(table.table.rows.size(), 8U);
  EXPECT_EQ(table.table.rows[0][5].raw(), "1.50");
  EXPECT_NE(table.notes[0].find("in 4 of 8 rows"), std::string::npos) << table.notes[0];
}

TEST(LangerHere, SaysWhatWasWrongAndHandsErrorsOn) {
  const auto wrong = [](const SplitRequest& request) -> Expected<std::vector<TimedSplit>> {
    return std::vector<TimedSplit>{{request.ranks, 1, 30, 10, 20, 3}};
  };
  EXPECT_EQ(langer_here({}, wrong)->at(0).table.rows[0][2].raw(), "WRONG");
  const auto failing = [](const SplitRequest&) -> Expected<std::vector<TimedSplit>> {
    return Error{"mpiexec", "no", ""};
  };
  EXPECT_FALSE(langer_here({}, failing));
}

}  // namespace
}  // namespace espalier::reproduce
