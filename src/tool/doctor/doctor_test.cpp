#include <gtest/gtest.h>

#include <algorithm>

#include "doctor/calls.hpp"
#include "doctor/checks.hpp"

namespace espalier::doctor {
namespace {

using runtime::Reason;
using Words = std::vector<std::string>;

TEST(CallsAmong, KnowsWhatTheRuntimeDoesWithEachCollective) {
  const Words symbols{"MPI_Bcast",      "MPI_Bcast_c",     "MPI_Ibcast",
                      "MPI_Bcast_init", "MPI_Alltoallv_c", "MPI_Neighbor_alltoall",
                      "MPI_Send",       "PMPI_Reduce",     "MPI_Barrier",
                      "MPI_Init",       "printf",          "MPI_Ineighbor_alltoall"};
  const Calls calls = calls_among(symbols);
  EXPECT_EQ(calls.planned,
            (Words{"MPI_Barrier", "MPI_Bcast", "MPI_Bcast_c", "MPI_Neighbor_alltoall"}));
  EXPECT_EQ(calls.native.at(Reason::NonBlocking), (Words{"MPI_Ibcast", "MPI_Ineighbor_alltoall"}));
  EXPECT_EQ(calls.native.at(Reason::Persistent), (Words{"MPI_Bcast_init"}));
  EXPECT_EQ(calls.native.at(Reason::LargeCounts), (Words{"MPI_Alltoallv_c"}));
  EXPECT_EQ(calls.hidden, (Words{"PMPI_Reduce"}));
}

TEST(CallsAmong, KnowsFortransNames) {
  const Words symbols{"mpi_bcast_", "mpi_allreduce_f08_", "mpi_reduce_f08ts_", "mpi_iallreduce_",
                      "mpi_send_"};
  const Calls calls = calls_among(symbols);
  EXPECT_EQ(calls.planned, (Words{"MPI_Allreduce", "MPI_Bcast", "MPI_Reduce"}));
  EXPECT_EQ(calls.native.at(Reason::NonBlocking), (Words{"MPI_Iallreduce"}));
}

Severity level_of(const Findings& findings, const std::string& subject) {
  const auto it = std::find_if(findings.begin(), findings.end(),
                               [&](const Finding& finding) { return finding.subject == subject; });
  EXPECT_NE(it, findings.end()) << subject;
  return it == findings.end() ? Severity::Problem : it->level;
}

TEST(CheckNetwork, TellsWaysOutFromBridges) {
  const Interface lo{"lo", true, true, {"127.0.0.1"}};
  const Interface eth0{"eth0", true, false, {"10.0.0.1"}};
  const Interface eth1{"eth1", true, false, {"10.1.0.1"}};
  const Interface docker{"docker0", true, false, {"172.17.0.1"}};
  const Interface down{"eth2", false, false, {}};
  const auto check = [](const std::vector<Interface>& all) { return check_network(all); };
  EXPECT_EQ(level_of(check({lo}), "interfaces"), Severity::Note);
  EXPECT_EQ(check({lo, eth0}).size(), 1u);
  EXPECT_EQ(level_of(check({lo, eth0}), "eth0"), Severity::Ok);
  EXPECT_EQ(level_of(check({eth0, eth1}), "interfaces"), Severity::Note);
  EXPECT_EQ(level_of(check({eth0, docker}), "docker0"), Severity::Warning);
  EXPECT_NE(check({eth0, docker}).back().cure.find("eth0"), std::string::npos);
  EXPECT_EQ(level_of(check({eth0, down}), "eth2"), Severity::Note);
}

TEST(CheckPreloads, LooksAtTheSystemsListToo) {
  const Findings found = check_preloads({{"LD_PRELOAD", "/none/a.so /none/b.so"}}, "/none/c.so\n");
  EXPECT_EQ(found.size(), 3u);
  EXPECT_EQ(level_of(found, "/none/a.so"), Severity::Warning);
  EXPECT_EQ(level_of(found, "/etc/ld.so.preload: /none/c.so"), Severity::Warning);
  const Findings twice = check_preloads({{"LD_PRELOAD", "a/libespalier.so:b/libespalier.so"}}, "");
  EXPECT_EQ(level_of(twice, "LD_PRELOAD"), Severity::Problem);
  const Findings part = check_preloads({{"LD_PRELOAD", "libespalier-mpich.so"}}, "");
  EXPECT_EQ(level_of(part, "libespalier-mpich.so"), Severity::Problem);
}

TEST(CheckSettings, AsksForTheNearestName) {
  const Findings found = check_settings({{"ESPALIER_MACHNE", "1"}, {"ESPALIER_LAB_QWERTZUI", "1"}});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].cure, "did you mean ESPALIER_MACHINE?");
  EXPECT_TRUE(unknown_settings({{"ESPALIER_SITE", "x"}, {"ESPALIER_LAB", "/run/x"}, {"HOME", "/"}})
                  .empty());
}

TEST(CheckSettings, LooksAtFilesAndNamesOfClusters) {
  const auto level = [](const char* name, const char* value) {
    return check_settings({{name, value}}).front().level;
  };
  EXPECT_EQ(level("ESPALIER_TRACE", "/no/where/t"), Severity::Warning);
  EXPECT_EQ(level("ESPALIER_CLUSTERS", "a//b"), Severity::Warning);
  EXPECT_EQ(level("ESPALIER_CLUSTERS", "@/no/such/file"), Severity::Warning);
  EXPECT_EQ(level("ESPALIER_CLUSTERS", "anl/sp2"), Severity::Ok);
}

TEST(CheckSettings, AsksForTheAlgorithmThatWasMeant) {
  const Findings found = check_settings({{"ESPALIER_ALGORITHM", "allreduce=rign,brodcast=flat"}});
  ASSERT_EQ(found.size(), 2u);
  for (const Finding& one : found) EXPECT_EQ(one.level, Severity::Problem) << one.what;
  EXPECT_EQ(found[0].what, "there is no algorithm \"rign\" for allreduce");
  EXPECT_TRUE(found[0].cure.starts_with("did you mean \"ring\"? the algorithms for allreduce are:"))
      << found[0].cure;
  EXPECT_EQ(found[1].what, "there is no operation \"brodcast\"");
  EXPECT_TRUE(found[1].cure.starts_with("did you mean \"broadcast\"?")) << found[1].cure;
  EXPECT_EQ(
      level_of(check_settings({{"ESPALIER_ALGORITHM", "allreduce=ring"}}), "ESPALIER_ALGORITHM"),
      Severity::Ok);
}

TEST(Findings, AreCountedByLevel) {
  const Findings some{{"a", Severity::Note, "", "", ""}, {"a", Severity::Note, "", "", ""}};
  EXPECT_EQ(count(some, Severity::Note), 2u);
  EXPECT_EQ(count(some, Severity::Problem), 0u);
  EXPECT_EQ(name_of(Severity::Problem), "problem");
}

}  // namespace
}  // namespace espalier::doctor
