#include "cli/scratch_folder.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

namespace espalier::cli {
namespace {

namespace fs = std::filesystem;

TEST(ScratchFolder, IsNewOursAloneAndGoesWithWhatIsInIt) {
  fs::path first, second;
  {
    const ScratchFolder a, b;
    first = a.path();
    second = b.path();
    ASSERT_FALSE(first.empty());
    EXPECT_NE(first, second);
    struct stat info {};
    ASSERT_EQ(lstat(first.c_str(), &info), 0);
    EXPECT_TRUE(S_ISDIR(info.st_mode));
    EXPECT_EQ(info.st_mode & 07777U, 0700U);
    std::ofstream(first / "file") << "text";
  }
  EXPECT_FALSE(fs::exists(first));
  EXPECT_FALSE(fs::exists(second));
}

TEST(ScratchFolder, IsEmptyWhereNoneCanBeMade) {
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TMPDIR", "/proc/self/none", 1);
  EXPECT_TRUE(ScratchFolder().path().empty());
  kept.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", kept.c_str(), 1);
}

}  // namespace
}  // namespace espalier::cli
