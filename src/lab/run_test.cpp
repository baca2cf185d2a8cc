#include "lab/run.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace espalier::lab {
namespace {

namespace fs = std::filesystem;

TEST(LibrariesOf, SuggestsTheProgramOfThisFolder) {
  const fs::path before = fs::current_path();
  const fs::path folder = fs::path(testing::TempDir()) / "espalier_libraries_of";
  fs::create_directories(folder);
  fs::current_path(folder);
  std::ofstream("prog-of-this-folder") << "";
  const auto here = libraries_of("prog-of-this-folder");
  const auto nowhere = libraries_of("prog-of-no-folder");
  const auto not_there = libraries_of("./not-there");
  fs::current_path(before);
  fs::remove_all(folder);
  ASSERT_FALSE(here);
  EXPECT_EQ(here.error().hint, "did you mean ./prog-of-this-folder?");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().what, "there is no program \"prog-of-no-folder\" in PATH");
  ASSERT_FALSE(not_there);
  EXPECT_EQ(not_there.error().what, "there is no program ./not-there");
}

}  // namespace
}  // namespace espalier::lab
