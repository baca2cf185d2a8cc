#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/file_descriptor.hpp"
#include "lab/lab.hpp"
#include "lab/state.hpp"

namespace espalier::lab {
namespace {

namespace fs = std::filesystem;

class OwnedFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "espalier_state_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = *state_folder(name);
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(folder_.path, ignored);
  }
  void put(const std::string& name, const std::string& text = "text") const {
    std::ofstream(folder_.path + "/" + name) << text;
  }
  [[nodiscard]] bool has(const std::string& name) const {
    return fs::exists(fs::symlink_status(folder_.path + "/" + name));
  }

  StateFolder folder_;
};

TEST_F(OwnedFolder, WithAThesisIsRefusedAndNothingIsTouched) {
  put("thesis.tex");
  put("hosts");
  const auto refused = down(folder_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().where, folder_.path);
  EXPECT_NE(refused.error().what.find("thesis.tex"), std::string::npos) << refused.error();
  EXPECT_TRUE(has("thesis.tex"));
  EXPECT_TRUE(has("hosts"));
}

TEST_F(OwnedFolder, BehindALinkIsRefusedToo) {
  put("thesis.tex");
  const std::string link = folder_.path + "-link";
  fs::create_symlink(folder_.path, link);
  EXPECT_FALSE(down(*state_folder(link)));
  fs::remove(link);
  EXPECT_TRUE(has("thesis.tex"));
}

TEST_F(OwnedFolder, ThatIsEmptyIsTaken) {
  EXPECT_FALSE(why_not_a_labs(folder_));
  EXPECT_FALSE(down(folder_)->was_there) << "no lab made it";
  EXPECT_TRUE(fs::exists(folder_.path));
  // Of a command that was killed while it wrote the sign.
  put(".espalier-lab.0123456789abcdef.new");
  EXPECT_FALSE(why_not_a_labs(folder_));
  EXPECT_TRUE(down(folder_));
  EXPECT_FALSE(fs::exists(folder_.path));
}

TEST_F(OwnedFolder, WithASignLosesTheLabsFilesOnly) {
  ASSERT_FALSE(put_sign(folder_));
  for (const char* name : {"machine.json", "holders", "router", "links", "ranks", "cpu", "hosts",
                           "rsh", "hostfile.123", "machine.123.json", "measured.7", "hosts.new",
                           ".rsh.0123456789abcdef.new"}) {
    put(name);
  }
  fs::create_directory(folder_.own());
  put("thesis.tex");
  fs::create_directory(folder_.path + "/chapters");
  put("chapters/1.tex");
  const auto result = down(folder_);
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(result->left, (std::vector<std::string>{"chapters", "thesis.tex"}));
  EXPECT_TRUE(has("thesis.tex"));
  EXPECT_TRUE(has("chapters/1.tex"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path), {}), 2);
}

TEST_F(OwnedFolder, KeepsFoldersAndLinksThatHaveTheNamesOfFiles) {
  ASSERT_FALSE(put_sign(folder_));
  fs::create_directory(folder_.path + "/hosts");
  put("hosts/thesis.tex");
  fs::create_directory(folder_.own());
  put("own/thesis.tex");
  fs::create_symlink("hosts", folder_.path + "/rsh");
  EXPECT_EQ(down(folder_)->left, (std::vector<std::string>{"hosts", "own", "rsh"}));
  EXPECT_TRUE(has("hosts/thesis.tex"));
  EXPECT_TRUE(has("own/thesis.tex"));
}

TEST_F(OwnedFolder, WithASignThatIsNotOursIsRefused) {
  put("machine.json");
  put("espalier-lab");
  EXPECT_FALSE(down(folder_));
  put("espalier-lab", "espalier lab state\nfolder /run/another\n");
  EXPECT_FALSE(down(folder_));
  fs::remove(folder_.sign());
  fs::create_symlink("/proc/self/status", folder_.sign());
  EXPECT_FALSE(down(folder_));
  EXPECT_TRUE(has("machine.json"));
}

TEST_F(OwnedFolder, OfAnOlderVersionIsKnownByItsShell) {
  put("machine.json");
  EXPECT_FALSE(down(folder_));
  put("rsh", "exec '/usr/bin/espalier' lab exec --state '/elsewhere' \"$host\"\n");
  EXPECT_FALSE(down(folder_));
  put("rsh", "exec '/usr/bin/espalier' lab exec --state '" + folder_.path + "' \"$host\"\n");
  EXPECT_FALSE(why_not_a_labs(folder_));
  put("thesis.tex");
  EXPECT_FALSE(down(folder_));
  EXPECT_TRUE(has("machine.json"));
  fs::remove(folder_.path + "/thesis.tex");
  EXPECT_TRUE(down(folder_));
  EXPECT_FALSE(fs::exists(folder_.path));
}

TEST_F(OwnedFolder, ThatOthersMayWriteToIsRefused) {
  ASSERT_EQ(chmod(folder_.path.c_str(), 0777), 0);
  EXPECT_FALSE(down(folder_));
  EXPECT_FALSE(open_lab(folder_));
  ASSERT_EQ(chmod(folder_.path.c_str(), 0755), 0);
  if (geteuid() != 0) GTEST_SKIP() << "only root can make folders of others";
  ASSERT_EQ(chown(folder_.path.c_str(), 65534, 65534), 0);
  const auto refused = down(folder_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "it belongs to another user (id 65534)");
}

TEST_F(OwnedFolder, ThatIsHeldIsNotWaitedForWithoutEnd) {
  const FileDescriptor held(::open(folder_.path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_EQ(::flock(held.get(), LOCK_EX), 0);
  const auto lock = StateLock::take(folder_, std::chrono::milliseconds(1));
  ASSERT_FALSE(lock);
  EXPECT_NE(lock.error().what.find("another command holds this lab"), std::string::npos);
}

}  // namespace
}  // namespace espalier::lab
