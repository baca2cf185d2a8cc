#include "league/job.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "league/run_league.hpp"
#include "topology/load_machine.hpp"
#include "topology/readers.hpp"

namespace espalier::league {
namespace {

using schedule::Operation;

PlacedMachine small_machine() {
  return {"small", "block", topology::parse_synthetic("proc:4(1us,1Gbit/s)").value()};
}
const Job kJob{0, 0, Operation::Broadcast, {8, 4096, 65536}};

std::vector<ResultState> states_of(const std::string& output, bool too_long = false) {
  std::vector<ResultState> states;
  for (const Result& result : results_of(kJob, ours(), small_machine(), output, too_long)) {
    states.push_back(result.state);
  }
  return states;
}

TEST(CellsOf, ReadsTimesDataAndPlans) {
  const auto results = results_of(kJob, ours(), small_machine(),
                                  "broadcast,8,1.500,1,2 of 2,multilevel flat, in order\n"
                                  "broadcast,4096,20.000,0,2 of 2,chain\n"
                                  "broadcast,65536,30.250,1,0 of 2,disabled\n",
                                  false);
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results[0].state, ResultState::Right);
  EXPECT_EQ(results[0].microseconds, 1.5);
  EXPECT_EQ(results[0].plan, "multilevel flat, in order");
  EXPECT_EQ(results[1].state, ResultState::Wrong);
  EXPECT_EQ(results[2].microseconds, 30.25);
  EXPECT_EQ(results[2].plan, "") << "it was not planned";
}

TEST(CellsOf, TakesWhatIsMissingAsFailed) {
  using enum ResultState;
  EXPECT_EQ(states_of(""), (std::vector{Failed, Failed, Failed}));
  EXPECT_EQ(states_of("broadcast,8,1.5,1,0 of 2,\n"), (std::vector{Right, Failed, Failed}));
  EXPECT_EQ(states_of("broadcast,8,1.5,1,0 of 2,\n", true), (std::vector{Right, TooLong, TooLong}));
}

TEST(CellsOf, TakesNothingForATimeThatIsNone) {
  using enum ResultState;
  for (const char* output : {"broadcast,8,fast,1,0 of 2,\n", "reduce,8,1.5,1,0 of 2,\n",
                             "broadcast,16,1.5,1,0 of 2,\n", "broadcast,8,1.5\n"}) {
    EXPECT_EQ(states_of(output), (std::vector{Failed, Failed, Failed})) << output;
  }
}

TEST(CommandOf, GivesOnlyPeersTheirAlgorithmAndOnlyUsThePlans) {
  const auto has = [](const std::vector<std::string>& line, const std::string& word) {
    return std::find(line.begin(), line.end(), word) != line.end();
  };
  const RunSettings settings{"times", 2, 60};
  const auto our_line = command_of(kJob, ours(), small_machine(), settings, "f");
  EXPECT_TRUE(has(our_line, "ESPALIER_FORCE=1"));
  EXPECT_TRUE(has(our_line, "broadcast:4096"));
  const Contender peer = selectors_called("ompi").value().front();
  const auto their_line = command_of(kJob, peer, small_machine(), settings, "f");
  EXPECT_TRUE(has(their_line, "ESPALIER_DISABLE=1"));
  EXPECT_TRUE(has(their_line, "--cfg=smpi/coll-selector:ompi"));
  const Contender single = single_algorithms().front();
  EXPECT_TRUE(
      has(command_of(kJob, single, small_machine(), settings, "f"), "--cfg=smpi/bcast:NTSB"));
}

TEST(WriteMachineFiles, WritesThroughNoLinkAndIntoNoFolderOfOthers) {
  namespace fs = std::filesystem;
  std::string name = testing::TempDir() + "espalier_job_XXXXXX";
  ASSERT_NE(mkdtemp(name.data()), nullptr);
  const fs::path own = name;
  ASSERT_TRUE(write_machine_files(small_machine(), own / "new")) << "it makes the folder";
  EXPECT_TRUE(fs::exists(own / "new/platform.xml"));
  std::ofstream(own / "thesis") << "thesis";
  fs::create_directory(own / "planted");
  fs::permissions(own / "planted", fs::perms::owner_all);
  fs::create_symlink(own / "thesis", own / "planted/platform.xml");
  EXPECT_FALSE(write_machine_files(small_machine(), own / "planted"));
  EXPECT_EQ(fs::file_size(own / "thesis"), 6U);
  fs::create_directory_symlink(own / "new", own / "link");
  EXPECT_FALSE(write_machine_files(small_machine(), own / "link"));
  fs::create_directory(own / "open");
  fs::permissions(own / "open", fs::perms::all);
  EXPECT_FALSE(write_machine_files(small_machine(), own / "open"));
  fs::remove_all(own);
}

TEST(Teams, AreRefusedIfThereAreNone) {
  EXPECT_FALSE(selectors_called("ompi,lam").has_value());
  EXPECT_EQ(selectors_called("ompi,mpich").value().size(), 2U);
}

TEST(Teams, OfSingleAlgorithmsPlayTheirOwnOperationOnly) {
  for (const Contender& contender : single_algorithms()) {
    int operations = 0;
    for (int o = 0; o < schedule::kOperationCount; ++o) {
      if (contender.takes_part_in(static_cast<Operation>(o))) ++operations;
    }
    EXPECT_EQ(operations, 1) << contender.name;
  }
}

TEST(EventsOf, LeaveOutWhatDoesNotFitAndSizesOfBarriers) {
  const LeagueTask task{{small_machine()},
                        {ours()},
                        {Operation::Barrier, Operation::Alltoall},
                        {8, 1024},
                        4 * 4 * 2 * 8};
  const auto events = events_of(task, task.machines.front());
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].bytes, 0U);
  EXPECT_EQ(events[1].bytes, 8U);
}

TEST(StampOf, ChangesWithTheLibraryForUsOnly) {
  LeagueSettings before;
  LeagueSettings after;
  after.library = "new";
  const Contender peer = selectors_called("ompi").value().front();
  EXPECT_NE(stamp_of(small_machine(), ours(), before), stamp_of(small_machine(), ours(), after));
  EXPECT_EQ(stamp_of(small_machine(), peer, before), stamp_of(small_machine(), peer, after));
  after.run.roots = 7;
  EXPECT_NE(stamp_of(small_machine(), peer, before), stamp_of(small_machine(), peer, after));
}

TEST(StandardMachines, AreAllThere) {
  std::vector<Rank> sizes;
  for (const char* name : kStandardMachines) {
    const auto loaded = topology::load_machine(std::string(ESPALIER_SOURCE_DIR) +
                                               "/data/machines/" + name + ".json");
    ASSERT_TRUE(loaded.has_value()) << name << ": " << to_string(loaded.error());
    EXPECT_TRUE(loaded->notes.empty()) << name;
    sizes.push_back(loaded->machine.size());
  }
  EXPECT_EQ(sizes, (std::vector<Rank>{64, 48, 39, 20, 64, 72, 48, 64, 72, 256}));
}

}  // namespace
}  // namespace espalier::league
