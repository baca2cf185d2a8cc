#include "launch/inside.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "launch/ask.hpp"
#include "launch/launcher_options.hpp"
#include "launch/python.hpp"
#include "launch/start.hpp"

namespace espalier::launch {
namespace {

using Words = std::vector<std::string>;

TEST(MpiLibrary, IsToldByWhatItSaysOfItself) {
  const auto title = [](std::string_view soname, std::string_view text) {
    return title_of(mpi_library(soname, "/x", text));
  };
  EXPECT_EQ(title("libmpi.so.40", "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4"),
            "Open MPI 4.1.4");
  EXPECT_EQ(title("libmpi.so.40", "Open MPI v5.0.0rc12, package"), "Open MPI 5.0.0rc12");
  EXPECT_EQ(title("libmpich.so.12", "MPICH Version:\t4.0.2\nMPICH Release date:\tThu"),
            "MPICH 4.0.2");
  EXPECT_EQ(title("libmpi.so.12", "Intel(R) MPI Library 2021.10 for Linux* OS"),
            "Intel MPI 2021.10");
  EXPECT_EQ(title("libmpi.so.12", "MVAPICH Version: 3.0\nMPICH Version: 4.1"), "MVAPICH 3.0");
  EXPECT_EQ(title("libmpi.so.12", ""), "an MPI of MPICH's kind");
  EXPECT_EQ(title("libmpi.so.40", ""), "Open MPI");
}

TEST(ServedBy, TakesBothKindsAndRefusesAllOthers) {
  const auto served = [](std::string_view soname, std::string_view text) {
    return served_by(mpi_library(soname, "", text), "./a");
  };
  EXPECT_EQ(*served("libmpich.so.12", ""), Mpi::Mpich);
  EXPECT_EQ(*served("libmpich.so.12", "MPICH Version: 4.0.2"), Mpi::Mpich);
  EXPECT_EQ(*served("libmpi.so.40", "Open MPI v4.0.3,"), Mpi::OpenMpi);
  EXPECT_EQ(*served("libmpi.so.40", "Open MPI v5.0.3,"), Mpi::OpenMpi);
  EXPECT_EQ(*served("libmpich.so.12", "MPICH Version: 3.3.2"), Mpi::Mpich);
  EXPECT_EQ(*served("libmpi.so.12", "MPICH Version: 4.2.1"), Mpi::Mpich);
  EXPECT_EQ(*served("libmpi.so.12", "Intel(R) MPI Library 2021.10 for Linux* OS"), Mpi::Mpich);
  EXPECT_EQ(*served("libmpi.so.12", "MVAPICH2 Version      :\t2.3.7"), Mpi::Mpich);
  EXPECT_FALSE(served("libmpi.so.40", "Open MPI v3.1.6,"));
  EXPECT_FALSE(served("libmpi.so.20", "Open MPI v2.1.1,"));
  EXPECT_FALSE(served("libmpich.so.10", "MPICH Version: 3.0"));
  EXPECT_FALSE(served("libmpi.so.12", ""));
  EXPECT_EQ(*served("libmpi_abi.so.0", "MPICH Version: 4.3.0"), Mpi::Mpich);
  EXPECT_FALSE(served("libmpi_abi.so.0", ""));
}

TEST(WasTried, KnowsTheVersionsThatTestsWereRunWith) {
  const auto tried = [](std::string_view soname, std::string_view text) {
    return was_tried(mpi_library(soname, "", text));
  };
  EXPECT_TRUE(tried("libmpich.so.12", "MPICH Version: 4.0.2"));
  EXPECT_TRUE(tried("libmpi.so.40", "Open MPI v5.0.7,"));
  EXPECT_FALSE(tried("libmpi.so.40", "Open MPI v4.0.3,"));
  EXPECT_FALSE(tried("libmpi.so.12", "Intel(R) MPI Library 2021.10 for Linux* OS"));
  EXPECT_FALSE(tried("libmpich.so.12", ""));
  EXPECT_FALSE(tried("libmpi_abi.so.0", "MPICH Version: 4.2.0"));
}

TEST(MpiLauncher, IsToldByItsVersion) {
  const auto title = [](std::string_view text) { return title_of(*mpi_launcher("/x", text)); };
  EXPECT_EQ(title("mpiexec.openmpi (OpenRTE) 4.1.4\n"), "Open MPI 4.1.4");
  EXPECT_EQ(title("mpiexec (Open MPI) 5.0.3\n"), "Open MPI 5.0.3");
  EXPECT_EQ(title("HYDRA build details:\n    Version:        4.0.2\n"), "MPICH 4.0.2");
  EXPECT_EQ(title("Intel(R) MPI Library for Linux* OS, Version 2021.10 Build 2023"),
            "Intel MPI 2021.10");
  EXPECT_FALSE(mpi_launcher("/x", "GNU coreutils 9.1\nVersion: 3"));
  EXPECT_EQ(mpi_of_launcher("mpiexec (Open MPI) 5.0.3\n"), Mpi::OpenMpi);
}

TEST(MpiOfCommand, SaysNothingWhereNothingIsKnown) {
  const CommandContext context{".", "/usr/bin:/bin"};
  EXPECT_EQ(mpi_of_command({"true"}, context)->has_value(), false);
  EXPECT_EQ(mpi_of_command({"env", "A=b", "true"}, context)->has_value(), false);
  EXPECT_EQ(mpi_of_command({"sh", "-c", "exit 3"}, context)->has_value(), false);
  EXPECT_EQ(mpi_of_script("# mpiexec\n$X ${Y}\n", "s", context)->has_value(), false);
  EXPECT_FALSE(mpi_of_command({"no-such-program"}, context));
  EXPECT_FALSE(mpi_of_command({"env", "A=b", "./no-such-program"}, context));
  EXPECT_FALSE(mpi_of_command({"sh", "no-such-script"}, context));
}

/// A program with these words of bash, in a folder of the test.
std::string script_of(const std::string& name, const std::string& text) {
  const std::string folder = testing::TempDir() + "inside_test_scripts/";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + name) << text;
  std::filesystem::permissions(folder + name, std::filesystem::perms::owner_all);
  return folder + name;
}

TEST(MpiOfScript, LooksAtWhatItsLauncherStarts) {
  // A launcher that tells what MPICH's does.
  const std::string launcher =
      script_of("mpiexec", "#!/bin/sh\nprintf 'HYDRA build details:\\n Version: 4.0.2\\n'\n");
  const std::string folder = std::filesystem::path(launcher).parent_path().string();
  const CommandContext context{".", folder + ":/usr/bin:/bin"};
  const auto used = mpi_of_script("mpiexec -n 2 true && $X\nmpiexec -n 2 $P x\n", "s", context);
  ASSERT_TRUE(used && *used);
  EXPECT_EQ((*used)->mpi, Mpi::Mpich);
  const auto built_later = mpi_of_script("mpiexec -n 2 env A=b ./built_later\n", "s", context);
  EXPECT_TRUE(built_later && *built_later);
}

TEST(WrongLauncher, NamesTheScriptThatHasIt) {
  const UsedMpi used{Mpi::Mpich, "./a"};
  const Error typed = wrong_launcher("./a", used, "mpirun", Mpi::OpenMpi, "");
  EXPECT_EQ(typed.what, "it is linked with MPICH, but mpirun is Open MPI's");
  const Error written = wrong_launcher("./a", used, "mpirun", Mpi::OpenMpi, "./job.sh");
  EXPECT_EQ(written.what, "it is linked with MPICH, but mpirun in ./job.sh is Open MPI's");
  EXPECT_EQ(written.hint, "start it with MPICH's mpiexec");
}

TEST(FindProgram, LeavesANameAsItWasWritten) {
  const std::string file = script_of("here", "#!/bin/sh\n");
  const std::string seen = "./" + std::filesystem::relative(file).string();
  EXPECT_EQ(find_program(seen, ".", ""), seen);
  EXPECT_EQ(find_program(file, ".", ""), file);
  EXPECT_EQ(find_program("./here", std::filesystem::path(file).parent_path().string(), ""),
            std::filesystem::path(file).parent_path().string() + "/./here");
}

TEST(PythonWithMpi4py, IsLookedForInAllOfPath) {
  // Both are asked, since they are in PATH: the first has no module, the second tells its folder.
  const std::string root = testing::TempDir() + "inside_test_pythons/";
  std::filesystem::create_directories(root + "a");
  std::filesystem::create_directories(root + "b");
  std::filesystem::create_directories(root + "mpi4py");
  std::ofstream(root + "mpi4py/MPI.x.so") << "";
  std::ofstream(root + "a/python3") << "#!/bin/sh\n";
  std::ofstream(root + "b/python3") << "#!/bin/sh\nprintf '%s' " << root << "mpi4py\n";
  for (const char* one : {"a/python3", "b/python3"}) {
    std::filesystem::permissions(root + one, std::filesystem::perms::owner_all);
  }
  const auto found = python_with_mpi4py(root + "a:relative:" + root + "b:/usr/bin");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->python, root + "b/python3");
  EXPECT_EQ(found->module, root + "mpi4py/MPI.x.so");
  EXPECT_FALSE(python_with_mpi4py(root + "a"));
}

TEST(MpiOfCommand, TellsOptionsOfShellsFromScripts) {
  const CommandContext context{".", "/usr/bin:/bin"};
  for (const Words& words :
       {Words{"bash", "-o", "pipefail", "-c", "exit 3"},
        Words{"bash", "-euo", "pipefail", "-c", ":"},
        Words{"bash", "-O", "extglob", "+e", "-c", ":"}, Words{"bash", "-c", "-e", "true x"},
        Words{"bash", "--rcfile", "/none", "-c", ":"}, Words{"bash", "-c"}, Words{"bash", "-"}}) {
    const auto used = mpi_of_command(words, context);
    EXPECT_TRUE(used && !used->has_value()) << words[1];
  }
  EXPECT_FALSE(mpi_of_command({"bash", "-o", "pipefail", "no-such-script"}, context));
  EXPECT_FALSE(mpi_of_command({"bash", "--", "no-such-script"}, context));
}

TEST(MpiOfCommand, TakesNoValueOfAWrappersOptionForTheProgram) {
  const CommandContext context{".", "/usr/bin:/bin"};
  EXPECT_FALSE(mpi_of_command({"timeout", "-s", "kill", "60", "./no-such-program"}, context));
  EXPECT_TRUE(mpi_of_command({"flock", "/no/such/lock", "true"}, context));
}

TEST(MpiOfCommand, EndsOnScriptsThatRunThemselves) {
  const std::string folder = testing::TempDir() + "inside_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/self.sh") << "#!/bin/sh\n" << folder << "/self.sh\n";
  std::filesystem::permissions(folder + "/self.sh", std::filesystem::perms::owner_all);
  EXPECT_EQ(mpi_of_command({folder + "/self.sh"}, {".", "/bin"})->has_value(), false);
}

TEST(IsPython, KnowsItsNames) {
  for (const char* name : {"python", "python3", "/usr/bin/python3.11"})
    EXPECT_TRUE(is_python(name));
  for (const char* name : {"pythonista", "ipython3", "python3-config", ""}) {
    EXPECT_FALSE(is_python(name)) << name;
  }
}

TEST(ProgramFiles, StandInTheirPlace) {
  const std::string file = testing::TempDir() + "inside_test_programs";
  std::ofstream(file) << "# all\n-n 1 ./a x\n\n-n 2 ./b  # rest\n";
  EXPECT_EQ(*with_files_read({"mpiexec", "-l", "-configfile", file}, 0, Launcher::Hydra),
            (Words{"mpiexec", "-l", "-n", "1", "./a", "x", ":", "-n", "2", "./b"}));
  EXPECT_EQ(*with_files_read({"mpiexec", "--app", file}, 0, Launcher::OpenMpi),
            (Words{"mpiexec", "-n", "1", "./a", "x", ":", "-n", "2", "./b"}));
  std::ofstream(file) << "-n 1 ./a x#1 :\n-n 2 ./b // rest\n:\n";
  EXPECT_EQ(*with_files_read({"mpiexec", "-configfile", file}, 0, Launcher::Hydra),
            (Words{"mpiexec", "-n", "1", "./a", "x", ":", "-n", "2", "./b", "//", "rest"}));
  EXPECT_EQ(*with_files_read({"mpiexec", "--app", file}, 0, Launcher::OpenMpi),
            (Words{"mpiexec", "-n", "1", "./a", "x", ":", "-n", "2", "./b"}));
  const Words own{"mpiexec", "./a", "--app", file};  // the program's own
  EXPECT_EQ(*with_files_read(own, 0, Launcher::OpenMpi), own);
  EXPECT_FALSE(with_files_read({"mpiexec", "--app", file, "x"}, 0, Launcher::OpenMpi));
  EXPECT_FALSE(with_files_read({"mpiexec", "--app", "/none"}, 0, Launcher::OpenMpi));
}

TEST(OutputOf, EndsWhatDoesNotEnd) {
  EXPECT_EQ(output_of({"sh", "-c", "echo a; exec sleep 1000"}, {}, 1), "a\n");
  EXPECT_EQ(output_of({"sh", "-c", "echo $E$LD_PRELOAD"}, {"E=x"}), "x\n");
}

TEST(MpiOfCommand, TellsWhatCannotBeLookedAt) {
  const std::string name(300, 'x');  // no file may have such a name
  const auto shell = mpi_of_command({"bash", name}, {".", "/usr/bin:/bin"});
  ASSERT_FALSE(shell);
  EXPECT_NE(shell.error().what.find("File name too long"), std::string::npos) << shell.error();
  const auto batch = choose_start({"sbatch", name}, std::nullopt);
  ASSERT_FALSE(batch);
  EXPECT_NE(batch.error().what.find("File name too long"), std::string::npos) << batch.error();
}

}  // namespace
}  // namespace espalier::launch
