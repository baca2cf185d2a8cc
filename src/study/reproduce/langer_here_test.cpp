#include <gtest/gtest.h>

#include "reproduce/langer.hpp"
#include "reproduce/langer_lab.hpp"

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

TEST(LangerHere, CountsTheRowsThatGroupsWinOrLose) {
  const auto note = [](double split, double group) {
    const auto pretend = [&](const SplitRequest& request) -> Expected<std::vector<TimedSplit>> {
      return std::vector<TimedSplit>{{request.ranks, 1, split, 10, group, 0}};
    };
    HereOptions options;
    options.most_processes = 4;
    return langer_here(options, pretend)->at(0).notes[0];
  };
  EXPECT_NE(note(30, 20).find("in 2 of 2 rows"), std::string::npos) << note(30, 20);
  EXPECT_NE(note(20, 30).find("in 0 of 2 rows"), std::string::npos) << note(20, 30);
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

TEST(LangerHere, PutsSchemesAndCallsOfGroupsBesideTheMpisOwn) {
  std::vector<HereProgram> asked;
  const auto run = [&](const HereProgram& program) -> Expected<std::string> {
    asked.push_back(program);
    return std::string(
        "made comm_split 500.0 0\nmade create_group 400.0 0\nmade rank-and-hash 450.0 0\n"
        "called barrier 0 communicator 90 0\ncalled barrier 0 group 95 0\n"
        "called barrier 0 group-along-topology 96 0\n");
  };
  HereOptions options;
  options.cores = 2;
  options.most_processes = 32;
  const auto exhibits = langer_groups_here(options, run);
  ASSERT_TRUE(exhibits) << exhibits.error();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].name, "espalier-groups");
  EXPECT_EQ(asked[0].ranks, 8U);  // four a core
  EXPECT_EQ(exhibits->at(0).table.rows.size(), 3U);
  EXPECT_NE(exhibits->at(0).notes[0].find("1 are ahead of MPI_Comm_split, and 0"),
            std::string::npos)
      << exhibits->at(0).notes[0];
  EXPECT_NE(exhibits->at(1).notes[0].find("in 0 of 1 calls"), std::string::npos);
  const auto nothing = [](const HereProgram&) -> Expected<std::string> { return std::string(); };
  EXPECT_FALSE(langer_groups_here(options, nothing));
}

TEST(LangerHere, RunsThePartsThatAreAskedFor) {
  int splits = 0, groups = 0;
  const HereAccess here{
      [&](const SplitRequest&) -> Expected<std::vector<TimedSplit>> {
        ++splits;
        return std::vector<TimedSplit>{{2, 1, 30, 10, 20, 0}};
      },
      [&](const HereProgram&) -> Expected<std::string> {
        ++groups;
        return std::string("made comm_split 500.0 0\ncalled barrier 0 communicator 90 0\n");
      }};
  HereOptions options;
  options.parts = {"called"};
  const auto called = langer().on_here(options, here);
  ASSERT_TRUE(called) << called.error();
  ASSERT_EQ(called->size(), 1U);
  EXPECT_EQ(called->at(0).key, "called");
  EXPECT_EQ(splits, 0);
  options.parts = {};
  EXPECT_EQ(langer().on_here(options, here)->size(), 3U);
  EXPECT_GT(splits, 0);
  EXPECT_EQ(groups, 2);
}

}  // namespace
}  // namespace espalier::reproduce
