#include "lab/launch.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "topology/load_machine.hpp"

namespace espalier::lab {
namespace {

Expected<Launch> try_launch(const std::string& machine, Mpi mpi, Rank ranks,
                            const std::vector<std::string>& environment = {}) {
  const topology::Machine m = topology::load_machine(machine).value().machine;
  LaunchRequest request;
  request.mpi = mpi;
  request.ranks = ranks;
  request.hostfile = "/run/hostfile";
  request.remote_shell = "/run/rsh";
  request.shim = "/lib/shim.so";
  request.rank_cells = "/run/ranks";
  request.preloads = {"/lib/espalier.so"};
  request.environment = environment;
  request.program = {"./program", "its argument"};
  return launch(request, m, plan_lab(m).value());
}

Launch launch_on(const std::string& machine, Mpi mpi, Rank ranks) {
  return try_launch(machine, mpi, ranks).value();
}

bool has(const Launch& launch, const std::vector<std::string>& words) {
  return std::search(launch.command.begin(), launch.command.end(), words.begin(), words.end()) !=
         launch.command.end();
}

TEST(Launch, PutsRanksWhereTheMachineHasThem) {
  const std::string block = "node:2(1ms) proc:2";
  EXPECT_EQ(launch_on(block, Mpi::Mpich, 4).hostfile, "node0:2\nnode1:2\n");
  EXPECT_EQ(launch_on(block, Mpi::Mpich, 3).hostfile, "node0:2\nnode1:1\n");
  EXPECT_EQ(launch_on(block, Mpi::OpenMpi, 4).hostfile, "node0\nnode0\nnode1\nnode1\n");

  const std::string cyclic = block + " placement=cyclic";
  EXPECT_EQ(launch_on(cyclic, Mpi::OpenMpi, 4).hostfile, "node0\nnode1\nnode0\nnode1\n");
  const Launch in_turn = launch_on(cyclic, Mpi::Mpich, 4);
  EXPECT_EQ(in_turn.hostfile, "node0\nnode1\n");
  EXPECT_TRUE(has(in_turn, {"-ppn", "1"}));
}

TEST(Launch, RefusesWhatMpichCannotPlace) {
  const Launch uneven = launch_on("node:2(1ms) proc:1|3 placement=cyclic", Mpi::Mpich, 4);
  EXPECT_EQ(uneven.hostfile, "node0:1\nnode1:3\n");
  const std::string cyclic = "node:3(1ms) proc:1|2|2 placement=cyclic";
  const Expected<Launch> split = try_launch(cyclic, Mpi::Mpich, 5);
  ASSERT_FALSE(split);
  EXPECT_NE(split.error().what.find("rank 3 on host node1"), std::string::npos);
  EXPECT_EQ(launch_on(cyclic, Mpi::OpenMpi, 5).hostfile, "node0\nnode1\nnode2\nnode1\nnode2\n");
}

TEST(Launch, LeavesNobodyElseToPlaceRanks) {
  const auto what_with = [](const std::vector<std::string>& words) {
    const topology::Machine m = topology::load_machine("node:2(1ms) proc:2").value().machine;
    LaunchRequest request;
    request.mpi = Mpi::OpenMpi;
    request.ranks = 4;
    request.mpiexec_arguments = words;
    const auto made = launch(request, m, plan_lab(m).value());
    return made ? "" : made.error().what;
  };
  const std::string why = ": the lab itself tells mpiexec where ranks run";
  EXPECT_EQ(what_with({"--rankfile", "ranks"}), "\"--rankfile\"" + why);
  EXPECT_EQ(what_with({"-x", "A=1", "-rf", "ranks"}), "\"-rf\"" + why);
  EXPECT_EQ(what_with({"--map-by", "rankfile:file=ranks"}), "\"rankfile:file=ranks\"" + why);
  EXPECT_EQ(what_with({"--host", "node0"}), "\"--host\"" + why);
  EXPECT_EQ(what_with({"--mca", "coll_han_priority", "100"}), "");
}

TEST(Launch, HandsLibrariesAndCostsToTheRanks) {
  const std::string machine = "node:2(1ms) proc:1";
  EXPECT_TRUE(
      has(launch_on(machine, Mpi::Mpich, 2), {"-genv", "ESPALIER_LAB_RANKS", "/run/ranks"}));
  EXPECT_TRUE(
      has(launch_on(machine, Mpi::OpenMpi, 2), {"-x", "LD_PRELOAD=/lib/shim.so:/lib/espalier.so"}));
  const Launch plain = launch_on("node:2(1ms) proc:1", Mpi::Mpich, 2);
  EXPECT_TRUE(has(plain, {"-n", "2", "./program", "its argument"}));
}

TEST(Launch, LeavesPrioritiesToWhoSetsThem) {
  const std::string machine = "node:2(1ms) proc:1";
  const std::vector<std::string> first{"-genv", "ESPALIER_LAB_PRIORITY", "1"};
  EXPECT_TRUE(has(launch_on(machine, Mpi::Mpich, 2), first));
  const Launch told = try_launch(machine, Mpi::Mpich, 2, {"ESPALIER_LAB_PRIORITY=0"}).value();
  EXPECT_TRUE(has(told, {"-genv", "ESPALIER_LAB_PRIORITY", "0"}));
  EXPECT_FALSE(has(told, first));
}

// Open MPI 5.0.7 starts nothing, and ends with 0, if a host comes up more often than it has cores.
TEST(Launch, LetsOpenMpiPutMoreRanksOnAHostThanItHasCores) {
  EXPECT_TRUE(
      has(launch_on("node:2(1ms) proc:2", Mpi::OpenMpi, 4), {"--map-by", "seq:OVERSUBSCRIBE"}));
}

TEST(Launch, KnowsTheMpiOfAProgram) {
  EXPECT_EQ(mpi_in("\tlibmpich.so.12 => /lib/libmpich.so.12\n", "p").value(), Mpi::Mpich);
  EXPECT_EQ(mpi_in("\tlibmpi.so.40 => /lib/libmpi.so.40\n", "p").value(), Mpi::OpenMpi);
  EXPECT_EQ(mpi_in("libmpi.so.40\nlibopen-pal.so.40\n", "p").value(), Mpi::OpenMpi);
  EXPECT_EQ(mpi_in("libmpi.so.12\nlibc.so.6\n", "p").value(), Mpi::Mpich);
  EXPECT_EQ(mpi_in("libmpifort.so.12\nlibmpi.so.12\n", "p").value(), Mpi::Mpich);
  EXPECT_EQ(mpi_in("libmpi.so.12\nlibopen-pal.so.13\n", "p").value(), Mpi::OpenMpi);
  EXPECT_FALSE(mpi_in("libmpi.so.12\nlibmpi.so.40\nlibopen-pal.so.40\nlibmpich.so.12\n", "p"));
  EXPECT_FALSE(mpi_in("\tlibc.so.6\n", "p"));
  EXPECT_FALSE(mpi_in("libmpich.so.12 libmpi.so.40", "p"));
  EXPECT_FALSE(mpi_called("lam"));
}

}  // namespace
}  // namespace espalier::lab
