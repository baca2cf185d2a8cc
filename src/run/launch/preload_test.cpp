
#include <gtest/gtest.h>

#include "launch/start.hpp"

namespace espalier::launch {
namespace {

TEST(PreloadOf, LeavesPlainNamesAlone) {
  const auto preload = preload_of("/a/rec.so:/a/lib.so", "/x").value();
  EXPECT_EQ(preload.libraries, "/a/rec.so:/a/lib.so");
  EXPECT_TRUE(preload.variables.empty());
}

TEST(PreloadOf, FindsLibrariesInFoldersWithBlanksByTheirNames) {
  const auto preload = preload_of("/a b/rec.so:/a b/lib.so", "/x:/y").value();
  EXPECT_EQ(preload.libraries, "rec.so:lib.so");
  EXPECT_EQ(preload.variables, (Variables{{"LD_LIBRARY_PATH", "/a b:/x:/y"}}));
  EXPECT_EQ(preload_of("/a b/lib.so", "").value().variables,
            (Variables{{"LD_LIBRARY_PATH", "/a b"}}));
}

TEST(PreloadOf, RefusesFoldersWithColons) {
  const auto refused = preload_of("/a:b/lib.so", "");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().hint.find("--library"), std::string::npos);
}

TEST(StartOf, SetsThePathOfLibrariesInEveryProcess) {
  auto line =
      take_apart({"mpiexec", "./a"}, Launcher::Hydra, [](const std::string&) { return true; });
  const auto start = start_of({Mpi::Mpich, *line, "", {}}, {"mpiexec", "./a"}, "/a b/l.so", {});
  ASSERT_TRUE(start);
  const std::vector<std::string>& words = start->words;
  EXPECT_EQ((std::vector<std::string>(words.begin(), words.begin() + 6)),
            (std::vector<std::string>{"mpiexec", "-genv", "LD_PRELOAD", "l.so", "-genv",
                                      "LD_LIBRARY_PATH"}));
}

TEST(StartOf, RefusesWhatOpenMpi4WouldAbortFor) {
  const std::vector<std::string> words{"mpirun", "--mca", "mca_base_env_list", "A=1", "./a"};
  const auto start = [&words](Launcher kind) {
    auto line = take_apart(words, kind, [](const std::string&) { return true; });
    return start_of({Mpi::OpenMpi, *line, "", {}}, words, "/l.so", {});
  };
  ASSERT_FALSE(start(Launcher::OpenMpi));
  EXPECT_EQ(start(Launcher::OpenMpi).error().where, "mca_base_env_list");
  EXPECT_TRUE(start(Launcher::Prrte));
}

}  // namespace
}  // namespace espalier::launch
