#include <gtest/gtest.h>

#include <fstream>

#include "launch/ask.hpp"
#include "launch/command_line.hpp"
#include "launch/elf.hpp"
#include "launch/program.hpp"
#include "support/for_all_seeds.hpp"

namespace espalier::launch {
namespace {

using Words = std::vector<std::string>;

CommandLine parts_of(const Words& words, Mpi mpi) {
  auto line = take_apart(words, launcher_kind(mpi, words.front(), ""),
                         [](const std::string& word) { return word == "./a"; });
  EXPECT_TRUE(line) << line.error();
  return *line;
}

TEST(TakeApart, FindsTheProgramBehindOptionsWithValues) {
  const CommandLine hydra =
      parts_of({"mpiexec", "-genv", "A", "1", "-n", "4", "-l", "./a", "-n", "7"}, Mpi::Mpich);
  ASSERT_EQ(hydra.parts.size(), 1u);
  EXPECT_EQ(hydra.words[hydra.parts[0].program], "./a");
  const CommandLine assigned =
      parts_of({"mpiexec", "-genv", "A=1", "-n", "4", "-env", "B=2", "./a"}, Mpi::Mpich);
  EXPECT_EQ(assigned.words[assigned.parts[0].program], "./a");
  const CommandLine open = parts_of({"mpirun", "--mca", "btl", "self,tcp", "--oversubscribe", "-np",
                                     "4", "--wdir", "/tmp", "./a"},
                                    Mpi::OpenMpi);
  EXPECT_EQ(open.words[open.parts[0].program], "./a");
  EXPECT_EQ(open.parts[0].directory, "/tmp");
}

TEST(TakeApart, TakesAnUnknownOptionsNextWordForItsValueUnlessItCanBeRun) {
  const CommandLine value = parts_of({"mpiexec", "--new", "x", "./b"}, Mpi::OpenMpi);
  EXPECT_EQ(value.words[value.parts[0].program], "./b");
  const CommandLine flag = parts_of({"mpiexec", "--new", "./a", "x"}, Mpi::OpenMpi);
  EXPECT_EQ(flag.words[flag.parts[0].program], "./a");
}

TEST(TakeApart, FindsTheLauncherBehindOtherCommands) {
  const CommandLine line =
      parts_of({"timeout", "60", "/usr/bin/mpiexec.mpich", "-n", "2", "./a"}, Mpi::Mpich);
  EXPECT_EQ(line.launcher, 2u);
  EXPECT_EQ(line.words[line.parts[0].program], "./a");
}

TEST(FindLauncher, StopsAtTheFirstProgramThatIsNoWrapper) {
  const auto found = [](const Words& words) {
    return find_launcher(words, [](const std::string& word) {
      return word.starts_with("./") || word == "kill" || word == "stat" || word == "solver" ||
             word == "env" || word == "bash" || word == "timeout";
    });
  };
  EXPECT_EQ(found({"./solver", "mpirun.log", "100"}), std::nullopt);
  EXPECT_EQ(found({"./solver", "-o", "mpiexec"}), std::nullopt);
  EXPECT_EQ(found({"./solver", "data/srun"}), std::nullopt);
  EXPECT_EQ(found({"bash", "./mpirun.sh", "input"}), std::nullopt);
  EXPECT_EQ(found({"bash", "-c", "mpiexec.mpich -n 2 where"}), std::nullopt);
  EXPECT_EQ(found({"mpiexec.mpich -n 2 where"}), std::nullopt);
  EXPECT_EQ(found({"env", "A=b", "./solver", "srun"}), std::nullopt);
  EXPECT_EQ(found({"nice", "-5", "solver", "mpirun.log"}), std::nullopt);
  EXPECT_EQ(found({"timeout", "-s", "kill", "60", "env", "A=/b", "mpiexec", "./a"}), 6u);
  EXPECT_EQ(found({"perf", "stat", "-e", "cycles", "mpirun", "./a"}), 4u);
  EXPECT_EQ(found({"perf", "stat", "./a", "mpirun"}), std::nullopt);
  EXPECT_EQ(found({"setarch", "-R", "./a", "mpirun"}), std::nullopt);
  EXPECT_EQ(found({"flock", "./lock", "mpiexec.hydra", "./a"}), 2u);
  EXPECT_EQ(found({"xterm", "-e", "mpiexec", "./a"}), 2u);
  EXPECT_EQ(found({"env", "-i", "--", "srun", "./a"}), 3u);
}

TEST(TakeApart, RefusesLinesWithoutAProgramAndProgramsInFiles) {
  const auto refused = [](const Words& words) {
    return !take_apart(words, Launcher::Hydra, [](const std::string&) { return false; });
  };
  EXPECT_TRUE(refused({"mpiexec"}));
  EXPECT_TRUE(refused({"mpiexec", "-n"}));
  EXPECT_TRUE(refused({"mpiexec", "-n", "4"}));
  EXPECT_TRUE(refused({"mpiexec", "-n", "4", "./a", ":"}));
  EXPECT_TRUE(refused({"mpiexec", "-configfile", "programs"}));
}

TEST(WithPreload, SetsEveryPartOfAnOpenMpiLine) {
  const CommandLine line =
      parts_of({"mpiexec", "-n", "1", "./a", ":", "-n", "2", "./b"}, Mpi::OpenMpi);
  EXPECT_EQ(with_preload(line, "/l.so", "", {{"E", "1"}}),
            (Words{"mpiexec", "-x", "LD_PRELOAD=/l.so", "-x", "E=1", "-n", "1", "./a", ":", "-x",
                   "LD_PRELOAD=/l.so", "-x", "E=1", "-n", "2", "./b"}));
}

TEST(WithPreload, SetsAHydraLineOnceForAllParts) {
  const CommandLine line =
      parts_of({"mpiexec", "-n", "1", "./a", ":", "-n", "2", "./b"}, Mpi::Mpich);
  EXPECT_EQ(with_preload(line, "/l.so", "", {{"E", "1"}}),
            (Words{"mpiexec", "-genv", "LD_PRELOAD", "/l.so", "-genv", "E", "1", "-n", "1", "./a",
                   ":", "-n", "2", "./b"}));
}

TEST(WithPreload, KeepsWhatIsPreloadedAlready) {
  const CommandLine plain = parts_of({"mpiexec", "./a"}, Mpi::Mpich);
  EXPECT_EQ(with_preload(plain, "/l.so", "/x.so:/y.so", {}),
            (Words{"mpiexec", "-genv", "LD_PRELOAD", "/l.so:/x.so:/y.so", "./a"}));
  // The launcher's own option wins over the environment, as it did before.
  const CommandLine genv = parts_of({"mpiexec", "-genv", "LD_PRELOAD", "/z.so", "./a"}, Mpi::Mpich);
  EXPECT_EQ(with_preload(genv, "/l.so", "/x.so", {}),
            (Words{"mpiexec", "-genv", "LD_PRELOAD", "/l.so:/z.so", "./a"}));
  const CommandLine assigned =
      parts_of({"mpiexec", "-genv", "LD_PRELOAD=/z.so", "./a"}, Mpi::Mpich);
  EXPECT_EQ(with_preload(assigned, "/l.so", "/x.so", {}),
            (Words{"mpiexec", "-genv", "LD_PRELOAD=/l.so:/z.so", "./a"}));
  const CommandLine own = parts_of({"mpiexec", "-env", "LD_PRELOAD=/z.so", "./a"}, Mpi::Mpich);
  EXPECT_EQ(with_preload(own, "/l.so", "", {}), (Words{"mpiexec", "-genv", "LD_PRELOAD", "/l.so",
                                                       "-env", "LD_PRELOAD=/l.so:/z.so", "./a"}));
  const CommandLine env =
      parts_of({"mpiexec", "./a", ":", "-env", "LD_PRELOAD", "/z.so", "./b"}, Mpi::Mpich);
  EXPECT_EQ(with_preload(env, "/l.so", "", {}),
            (Words{"mpiexec", "-genv", "LD_PRELOAD", "/l.so", "./a", ":", "-env", "LD_PRELOAD",
                   "/l.so:/z.so", "./b"}));
  const CommandLine x =
      parts_of({"mpiexec", "-x", "LD_PRELOAD=/z.so", "./a", ":", "./b"}, Mpi::OpenMpi);
  EXPECT_EQ(with_preload(x, "/l.so", "", {}), (Words{"mpiexec", "-x", "LD_PRELOAD=/l.so:/z.so",
                                                     "./a", ":", "-x", "LD_PRELOAD=/l.so", "./b"}));
}

TEST(ToText, CanBePastedIntoAShell) {
  EXPECT_EQ(to_text({"a", "b c", "it's", ""}), "a 'b c' 'it'\\''s' ''");
}

TEST(MpiOfLauncher, IsReadFromItsVersion) {
  EXPECT_EQ(mpi_of_launcher("mpiexec (OpenRTE) 4.1.4"), Mpi::OpenMpi);
  EXPECT_EQ(mpi_of_launcher("HYDRA build details:\n    Version: 4.0.2"), Mpi::Mpich);
  EXPECT_EQ(mpi_of_launcher("slurm 22.05.8"), std::nullopt);
}

TEST(MpiOfProgram, SaysNothingAboutScriptsAndProgramsWithoutMpi) {
  EXPECT_EQ(*mpi_of_program("/proc/self/exe"), std::nullopt);
  const std::string script = testing::TempDir() + "launch_test_script";
  std::ofstream(script) << "#!/bin/sh\n";
  EXPECT_EQ(*mpi_of_program(script), std::nullopt);
  EXPECT_FALSE(mpi_of_program("/no/such/file"));
}

TEST(FindProgram, LooksWhereAShellWould) {
  EXPECT_NE(find_program("sh", "", "/no/such/folder:/usr/bin:/bin"), "");
  EXPECT_NE(find_program("./sh", "/bin", ""), "");
  EXPECT_EQ(find_program("sh", "", "/no/such/folder"), "");
  EXPECT_EQ(find_program("/etc", "", "/bin"), "");
}

// A program cut off or changed anywhere is refused or read, never read beyond its end.
TEST(ReadElfProperty, SurvivesBrokenPrograms) {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  std::string start(std::size_t{64} * 1024, '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  const std::string broken = testing::TempDir() + "launch_test_broken";
  for_all_seeds(200, [&](auto& rng) {
    std::string bytes = start.substr(0, 4 + rng.below(start.size() - 4));
    for (int i = 0; i < 8; ++i) {
      bytes[4 + rng.below(std::min<std::size_t>(bytes.size() - 4, 2048))] =
          static_cast<char>(rng.below(256));
    }
    std::ofstream(broken, std::ios::binary) << bytes;
    (void)read_elf(broken);
  });
}

}  // namespace
}  // namespace espalier::launch
