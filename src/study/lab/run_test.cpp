#include "lab/run.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace espalier::lab {
namespace {

namespace fs = std::filesystem;

TEST(NoProgram, SuggestsTheProgramOfThisFolder) {
  const fs::path before = fs::current_path();
  const fs::path folder = fs::path(testing::TempDir()) / "espalier_no_program";
  fs::create_directories(folder);
  fs::current_path(folder);
  std::ofstream("prog-of-this-folder") << "";
  const auto here = no_program("prog-of-this-folder");
  const auto nowhere = no_program("prog-of-no-folder");
  const auto not_there = no_program("./not-there");
  fs::current_path(before);
  fs::remove_all(folder);
  EXPECT_EQ(here.hint, "did you mean ./prog-of-this-folder?");
  EXPECT_EQ(nowhere.what, "there is no program \"prog-of-no-folder\" in PATH");
  EXPECT_EQ(not_there.what, "there is no program ./not-there");
}

using Environment = std::vector<std::string>;

Environment with_cache(Environment environment, bool is_set_outside) {
  add_own_cache(environment, StateFolder{"/run/lab"}, is_set_outside);
  return environment;
}

TEST(OwnCache, IsInTheHostsMemoryUnlessAnotherIsNamed) {
  EXPECT_EQ(with_cache({"A=1"}, false), (Environment{"A=1", "XDG_CACHE_HOME=/run/lab/own/cache"}));
  EXPECT_EQ(with_cache({"XDG_CACHE_HOME=/mine"}, false), (Environment{"XDG_CACHE_HOME=/mine"}));
  EXPECT_EQ(with_cache({"A=1"}, true), (Environment{"A=1"}));
}

}  // namespace
}  // namespace espalier::lab
