#include <gtest/gtest.h>

#include "launch/command_line.hpp"
#include "launch/start.hpp"

namespace espalier::launch {
namespace {

using Words = std::vector<std::string>;

CommandLine prrte_parts_of(const Words& words, Launcher kind) {
  auto line = take_apart(words, kind, [](const std::string& word) { return word == "./a"; });
  EXPECT_TRUE(line) << line.error();
  return *line;
}

TEST(LauncherKind, IsReadFromWhatALauncherSaysOfItself) {
  const auto kind = [](std::string_view text) {
    return launcher_kind(Mpi::OpenMpi, "mpiexec", text);
  };
  EXPECT_EQ(kind("mpiexec (OpenRTE) 4.1.4"), Launcher::OpenMpi);
  EXPECT_EQ(kind("mpirun (Open MPI) 4.1.4\n\nReport bugs to"), Launcher::OpenMpi);
  EXPECT_EQ(kind("mpiexec.openmpi (Open MPI) 5.0.7\n"), Launcher::Prrte);
  EXPECT_EQ(kind("mpiexec (Open MPI) 10.0.1"), Launcher::Prrte);
  EXPECT_EQ(kind("prterun (PRRTE) 3.0.8"), Launcher::Prrte);
  EXPECT_EQ(launcher_kind(Mpi::Mpich, "mpiexec", "HYDRA build details:"), Launcher::Hydra);
}

TEST(MpiLauncher, DoesNotTakeThePrrteVersionForOpenMpis) {
  const auto mpi = mpi_launcher("/usr/bin/prterun", "prterun (PRRTE) 3.0.8\n");
  ASSERT_TRUE(mpi);
  EXPECT_EQ(mpi->family, Family::OpenMpi);
  EXPECT_EQ(mpi->version, "");
  EXPECT_EQ(served_by(*mpi, "prterun").value(), Mpi::OpenMpi);
}

TEST(NoteOnSeveralPrograms, IsForOpenMpi5AndNotForPrterun) {
  const CommandLine two = prrte_parts_of({"mpiexec", "./a", ":", "./b"}, Launcher::Prrte);
  EXPECT_TRUE(note_on_several_programs(two, "5.0.7"));
  EXPECT_FALSE(note_on_several_programs(two, ""));  // prterun does not tell it
  EXPECT_FALSE(
      note_on_several_programs(prrte_parts_of({"mpiexec", "./a"}, Launcher::Prrte), "5.0.7"));
  const CommandLine orte = prrte_parts_of({"mpiexec", "./a", ":", "./b"}, Launcher::OpenMpi);
  EXPECT_FALSE(note_on_several_programs(orte, "4.1.4"));
}

TEST(LauncherKind, OfALauncherThatWasNotAskedComesFromItsName) {
  EXPECT_EQ(launcher_kind(Mpi::OpenMpi, "/opt/bin/prterun", ""), Launcher::Prrte);
  EXPECT_EQ(launcher_kind(Mpi::OpenMpi, "prun", ""), Launcher::Prrte);
  EXPECT_EQ(launcher_kind(Mpi::OpenMpi, "mpiexec", ""), Launcher::OpenMpi);
  EXPECT_EQ(launcher_kind(Mpi::Mpich, "mpiexec", ""), Launcher::Hydra);
}

// Where the program is behind each option, though its name is no program that can be run.
TEST(TakeApartPrrte, KnowsWhichOptionsHaveValues) {
  const std::vector<Words> options{
      {"--omca", "btl", "self"},     {"--prtemca", "plm_ssh_agent", "rsh"},
      {"--pmixmca", "a", "b"},       {"--display", "map"},
      {"--output", "tag"},           {"--runtime-options", "recoverable"},
      {"--pset", "solvers"},         {"--dvm", "file:uri"},
      {"--pid", "file:pid"},         {"--map-by", "rankfile:file=ranks"},
      {"--with-ft", "mpi"},          {"-c", "2"},
      {"--initial-errhandler", "x"}, {"--memory-alloc-kinds", "system"},
      {"--fwd-environment"},         {"--display-comm"},
      {"--do-not-launch"},           {"--system-server-first"},
      {"--oversubscribe"},           {"--bind-to=none"}};
  for (const Words& option : options) {
    Words words{"prterun"};
    words.insert(words.end(), option.begin(), option.end());
    words.insert(words.end(), {"solver", "-n", "3"});
    for (const Launcher kind : {Launcher::Prrte, Launcher::OpenMpi}) {
      const CommandLine line = prrte_parts_of(words, kind);
      EXPECT_EQ(line.words[line.parts[0].program], "solver") << option.front();
    }
  }
}

TEST(TakeApartPrrte, FindsItsLaunchers) {
  const auto is_program = [](const std::string& word) { return word == "./a"; };
  EXPECT_EQ(find_launcher({"env", "A=b", "prterun", "./a"}, is_program), 2u);
  EXPECT_EQ(find_launcher({"/usr/bin/prun", "./a"}, is_program), 0u);
  EXPECT_EQ(find_launcher({"prune", "./a"}, is_program), std::nullopt);
}

TEST(TakeApartHydra, KnowsTheOptionsOfMpich42) {
  const CommandLine line =
      prrte_parts_of({"mpiexec", "-rankmap", "(vector,0,1)", "-memory-alloc-kinds", "system",
                      "-hybrid-hosts", "solver"},
                     Launcher::Hydra);
  EXPECT_EQ(line.words[line.parts[0].program], "solver");
}

TEST(WithPreload, ReplacesAnOptionThatHandsOnTheEnvironmentsOwn) {
  for (const Launcher kind : {Launcher::OpenMpi, Launcher::Prrte}) {
    // The last -x wins, so ours before it would be lost.
    const CommandLine line = prrte_parts_of({"mpiexec", "-x", "LD_PRELOAD", "./a"}, kind);
    EXPECT_EQ(with_preload(line, "/l.so", "/z.so", {}),
              (Words{"mpiexec", "-x", "LD_PRELOAD=/l.so:/z.so", "./a"}));
  }
}

TEST(WithPreload, SetsEveryPartUnderPrrte) {
  const CommandLine line =
      prrte_parts_of({"prterun", "-n", "1", "./a", ":", "./b"}, Launcher::Prrte);
  EXPECT_EQ(with_preload(line, "/l.so", "", {{"A", "1"}}),
            (Words{"prterun", "-x", "LD_PRELOAD=/l.so", "-x", "A=1", "-n", "1", "./a", ":", "-x",
                   "LD_PRELOAD=/l.so", "-x", "A=1", "./b"}));
}

// PRRTE hands what -x says to the first processes alone; those that they spawn have its
// environment.
TEST(StartOf, SetsTheEnvironmentOfPrrteAsWell) {
  const Words words{"mpiexec", "./a"};
  const Chosen prrte{Mpi::OpenMpi, prrte_parts_of(words, Launcher::Prrte), "", {}};
  const auto start = start_of(prrte, words, "/l.so", {{"A", "1"}});
  ASSERT_TRUE(start);
  EXPECT_EQ(start->set, (Variables{{"LD_PRELOAD", "/l.so"}, {"A", "1"}}));
  EXPECT_EQ(start->words, (Words{"mpiexec", "-x", "LD_PRELOAD=/l.so", "-x", "A=1", "./a"}));

  const Chosen orte{Mpi::OpenMpi, prrte_parts_of(words, Launcher::OpenMpi), "", {}};
  EXPECT_TRUE(start_of(orte, words, "/l.so", {})->set.empty());
}

}  // namespace
}  // namespace espalier::launch
