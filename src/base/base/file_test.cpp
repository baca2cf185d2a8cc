#include "base/file.hpp"

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <thread>

#include "base/file_descriptor.hpp"

namespace espalier {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kNobody = 65534;

/// A folder of its own for each test.
class Files : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "espalier_file_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    std::error_code ignored;
    fs::permissions(folder_, fs::perms::owner_all, ignored);
    fs::remove_all(folder_, ignored);
  }
  [[nodiscard]] std::string at(const std::string& name) const { return folder_ + "/" + name; }
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(at(name)) << text;
  }
  [[nodiscard]] std::string content(const std::string& name) const {
    std::ifstream in(at(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }
  /// As /tmp is.
  void share() const { ASSERT_EQ(chmod(folder_.c_str(), 01777), 0); }

  std::string folder_;
};

/// Whether it holds in a process of its own, whose rights and limits do not stay with us.
bool holds_in_child(const std::function<bool()>& check) {
  const pid_t child = fork();
  if (child == 0) _exit(check() ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_F(Files, AreReadWhole) {
  put("a", std::string(200'000, 'x'));
  EXPECT_EQ(*read_named_file(at("a")), std::string(200'000, 'x'));
  EXPECT_EQ(**read_own_file(at("a")), std::string(200'000, 'x'));
  EXPECT_EQ(beginning_of_file(at("a"), 3), "xxx");
  put("empty", "");
  EXPECT_EQ(*read_named_file(at("empty")), "");
  EXPECT_EQ(beginning_of_file(at("empty"), 3), "");
  // Such files have no length before they are read.
  EXPECT_NE(read_named_file("/proc/self/status")->find("Name:"), std::string::npos);
}

TEST_F(Files, ThatAreNotThereAreToldApart) {
  EXPECT_EQ(read_named_file(at("none")).error().what, "there is no such file");
  EXPECT_EQ(*read_own_file(at("none")), std::nullopt);
  EXPECT_EQ(beginning_of_file(at("none"), 9), "");
  EXPECT_EQ(read_named_file(folder_).error().what, "it is a folder");
  EXPECT_EQ(read_own_file(folder_).error().what, "it is a folder, not a file of ours");
}

TEST_F(Files, AreReadUpToALimit) {
  put("a", "12345");
  EXPECT_EQ(*read_named_file(at("a"), {.most = 5}), "12345");
  EXPECT_EQ(read_named_file(at("a"), {.most = 4}).error().what, "larger than 4 bytes");
  EXPECT_FALSE(read_own_file(at("a"), 4));
  EXPECT_EQ(read_named_file("/dev/zero", {.takes_pipes = true}).error().what, "it is a device");
  EXPECT_EQ(read_named_file("/dev/zero").error().what, "not a regular file");
}

TEST_F(Files, ThatAreNoTextAreRefusedUnlessTheyMayBe) {
  const std::string bytes{'a', '\0', 'b'};
  put("a", bytes);
  EXPECT_EQ(read_named_file(at("a")).error().what, "it is no text: there are bytes of 0 in it");
  EXPECT_EQ(*read_named_file(at("a"), {.takes_binary = true}), bytes);
  const std::string marked = "\xef\xbb\xbf{}";
  put("marked", marked);
  EXPECT_EQ(*read_named_file(at("marked")), "{}");
  EXPECT_EQ(*read_named_file(at("marked"), {.takes_binary = true}), marked);
}

TEST_F(Files, ThatAreLargeShowByTheirBeginningWhatTheyAre) {
  constexpr std::array<std::string_view, 2> kSigns{"one", "two"};
  std::string text = "two " + std::string(kUnlikelyBytes, 'x');
  put("a", text);
  EXPECT_EQ(read_named_file(at("a"), {.signs = kSigns})->size(), text.size());
  text.front() = 'T';
  put("a", text);
  EXPECT_EQ(read_named_file(at("a"), {.signs = kSigns}).error().what,
            "more than 16 MiB, and none of one, two in its first 64 KiB");
  put("a", text.substr(0, kUnlikelyBytes));
  EXPECT_TRUE(read_named_file(at("a"), {.signs = kSigns}));
}

TEST_F(Files, ThatAreFifosDoNotHoldUp) {
  ASSERT_EQ(mkfifo(at("fifo").c_str(), 0600), 0);
  EXPECT_EQ(read_own_file(at("fifo")).error().what, "it is a FIFO, not a file of ours");
  EXPECT_EQ(read_named_file(at("fifo")).error().what, "not a regular file");
  EXPECT_EQ(beginning_of_file(at("fifo"), 9), "");
  EXPECT_EQ(read_named_file(at("fifo"), {.takes_pipes = true, .patience_ms = 1}).error().what,
            "it is a FIFO, and nobody writes to it");
  EXPECT_EQ(write_named_file(at("fifo"), "text")->what, "it is a FIFO, and nobody reads from it");
  EXPECT_TRUE(replace_own_file(at("fifo"), "text", 0600));
  EXPECT_TRUE(remove_own_file(at("fifo")));
  EXPECT_TRUE(fs::is_fifo(at("fifo")));
}

TEST_F(Files, ThatAreFifosAreReadAndWrittenWhereTheUserNamesThem) {
  ASSERT_EQ(mkfifo(at("fifo").c_str(), 0600), 0);
  const std::string text(300'000, 'y');
  std::thread writer([&] { EXPECT_FALSE(replace_named_file(at("fifo"), text)); });
  EXPECT_EQ(*read_named_file(at("fifo"), {.takes_pipes = true, .patience_ms = 60'000}), text);
  writer.join();
  EXPECT_TRUE(fs::is_fifo(at("fifo")));
}

TEST_F(Files, ThatTheUserNamesMayBeDevices) {
  EXPECT_FALSE(write_named_file("/dev/null", "text"));
  EXPECT_FALSE(replace_named_file("/dev/null", "text"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_TRUE(replace_named_file("/dev/full", "text"));
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(Files, ThatTheUserNamesMayBeLinks) {
  put("target", "old");
  fs::create_symlink("target", at("link"));
  EXPECT_FALSE(replace_named_file(at("link"), "new"));
  EXPECT_FALSE(write_named_file(at("link"), "newer"));
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(content("target"), "newer");
  fs::create_symlink("nothing-yet", at("dangling"));
  EXPECT_FALSE(replace_named_file(at("dangling"), "text"));
  EXPECT_EQ(content("nothing-yet"), "text");
}

TEST_F(Files, OfOursAreNeverLinks) {
  put("victim", "thesis");
  fs::create_symlink(at("victim"), at("cache"));
  EXPECT_EQ(read_own_file(at("cache")).error().what, "it is a link, not a file of ours");
  EXPECT_EQ(replace_own_file(at("cache"), "x", 0600)->what, "it is a link, not a file of ours");
  EXPECT_FALSE(create_own_file(at("cache"), 0600));
  EXPECT_TRUE(remove_own_file(at("cache")));
  EXPECT_EQ(content("victim"), "thesis");
  EXPECT_TRUE(fs::is_symlink(at("cache")));
}

TEST_F(Files, AreReplacedWholly) {
  EXPECT_FALSE(replace_own_file(at("a"), "one", 0640, Keep::Durably));
  EXPECT_EQ(content("a"), "one");
  EXPECT_FALSE(replace_own_file(at("a"), "two", 0600));
  EXPECT_EQ(content("a"), "two");
  struct stat info {};
  ASSERT_EQ(stat(at("a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0600U);
  EXPECT_EQ(entries(), 1U);
}

TEST_F(Files, ThatTheUserNamesKeepTheirModeAndNames) {
  put("a", "old");
  fs::permissions(at("a"), fs::perms{0640});
  EXPECT_FALSE(replace_named_file(at("a"), "new"));
  EXPECT_EQ(fs::status(at("a")).permissions(), fs::perms{0640});
  fs::create_hard_link(at("a"), at("b"));
  EXPECT_FALSE(replace_named_file(at("a"), "newer"));
  EXPECT_EQ(content("b"), "newer");
}

TEST_F(Files, ThatTheUserNamesMayHaveLongNames) {
  const std::string name(255, 'n');
  EXPECT_FALSE(replace_named_file(at(name.c_str()), "old"));
  EXPECT_FALSE(replace_named_file(at(name.c_str()), "new"));
  EXPECT_EQ(content(name.c_str()), "new");
  EXPECT_EQ(entries(), 1U);
}

/// As a file server lends files to its clients: who writes waits until they gave it back.
TEST_F(Files, ThatAreLentAreWrittenWhenTheyAreBack) {
  put("a", "old");
  const FileDescriptor lent(open(at("a").c_str(), O_RDONLY | O_CLOEXEC));
  const auto before = signal(SIGIO, SIG_IGN);
  if (fcntl(lent.get(), F_SETLEASE, F_RDLCK) != 0) {
    signal(SIGIO, before);
    GTEST_SKIP() << "no leases on this file system";
  }
  std::thread holder([&] {
    while (fcntl(lent.get(), F_GETLEASE) == F_RDLCK) std::this_thread::yield();
    EXPECT_EQ(fcntl(lent.get(), F_SETLEASE, F_UNLCK), 0);
  });
  EXPECT_FALSE(write_named_file(at("a"), "new"));
  holder.join();
  signal(SIGIO, before);
  EXPECT_EQ(content("a"), "new");
}

TEST_F(Files, ThatTheUserNamesKeepTheirGroup) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files to any group";
  constexpr gid_t kGroup = 12345;
  const auto group_of = [&](const char* name) {
    struct stat info {};
    return stat(at(name).c_str(), &info) == 0 ? info.st_gid : 0;
  };
  put("a", "old");
  ASSERT_EQ(chown(at("a").c_str(), 0, kGroup), 0);
  EXPECT_FALSE(replace_named_file(at("a"), "new"));
  EXPECT_EQ(group_of("a"), kGroup);
  EXPECT_EQ(content("a"), "new");
  // Of a group that the user is not in: written in place.
  put("b", "old");
  ASSERT_EQ(chown(at("b").c_str(), kNobody, kGroup), 0);
  ASSERT_EQ(chown(folder_.c_str(), kNobody, kNobody), 0);
  EXPECT_TRUE(holds_in_child([&] {
    if (setgroups(0, nullptr) != 0 || setgid(kNobody) != 0 || setuid(kNobody) != 0) return false;
    return !replace_named_file(at("b"), "new");
  }));
  EXPECT_EQ(group_of("b"), kGroup);
  EXPECT_EQ(content("b"), "new");
  EXPECT_EQ(entries(), 2U);
}

TEST_F(Files, CanBeWrittenWhereTheirFoldersCannot) {
  put("a", "old");
  put("secret", "old");
  fs::permissions(at("a"), fs::perms{0666});
  fs::permissions(at("secret"), fs::perms{0400});
  fs::permissions(folder_, fs::perms{0555});
  EXPECT_TRUE(holds_in_child([&] {
    if (geteuid() == 0 && setuid(kNobody) != 0) return false;
    return is_writable_file(at("a")) && !is_writable_file(at("secret")) &&
           !is_writable_file(at("new")) && !is_writable_file(folder_) &&
           is_writable_file("/dev/null") && !is_writable_file("/no/such/folder/a");
  }));
}

TEST_F(Files, AreMadeOnlyWhereNothingIs) {
  EXPECT_TRUE(create_own_file(at("a"), 0600));
  EXPECT_FALSE(create_own_file(at("a"), 0600));
  fs::create_symlink(at("b"), at("dangling"));
  EXPECT_FALSE(create_own_file(at("dangling"), 0600));
  EXPECT_FALSE(fs::exists(at("b")));
}

TEST_F(Files, ThatOthersMayWriteToAreNotOurs) {
  put("a", "text");
  fs::permissions(at("a"), fs::perms{0666});
  EXPECT_EQ(read_own_file(at("a")).error().what, "others may write to it");
}

TEST_F(Files, OfOthersAreNotOurs) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make files of others";
  put("a", "thesis");
  ASSERT_EQ(chown(at("a").c_str(), kNobody, kNobody), 0);
  EXPECT_EQ(read_own_file(at("a")).error().what, "others may write to it");
  EXPECT_EQ(replace_own_file(at("a"), "x", 0600)->what,
            "it is a file of another user, not a file of ours");
  EXPECT_TRUE(remove_own_file(at("a")));
  EXPECT_EQ(content("a"), "thesis");
  // The user may name it: then it is written in place, and stays whose it is.
  EXPECT_FALSE(replace_named_file(at("a"), "new"));
  struct stat info {};
  ASSERT_EQ(stat(at("a").c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, kNobody);
}

TEST_F(Files, OfOthersInASharedFolderAreNotWritten) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make files of others";
  share();
  put("victim", "thesis");
  put("planted", "lies");
  fs::create_symlink(at("victim"), at("link"));
  ASSERT_EQ(mkfifo(at("fifo").c_str(), 0666), 0);
  for (const char* name : {"planted", "link", "fifo"}) {
    ASSERT_EQ(lchown(at(name).c_str(), kNobody, kNobody), 0);
    EXPECT_TRUE(write_named_file(at(name), "x")) << name;
    EXPECT_TRUE(replace_named_file(at(name), "x")) << name;
    EXPECT_FALSE(read_named_file(at(name), {.refuses_foreign = true})) << name;
  }
  EXPECT_EQ(content("victim"), "thesis");
  EXPECT_EQ(content("planted"), "lies");
  EXPECT_EQ(*read_named_file(at("planted")), "lies");  // the user may look at it
}

TEST_F(Files, StayWhereTheFolderIsReadOnly) {
  put("a", "old");
  fs::permissions(at("a"), fs::perms{0666});
  fs::permissions(folder_, fs::perms{0555});
  EXPECT_TRUE(holds_in_child([&] {
    if (geteuid() == 0 && seteuid(kNobody) != 0) return false;
    const bool refused = replace_own_file(at("b"), "x", 0600).has_value() &&
                         replace_named_file(at("c"), "x").has_value() &&
                         !create_own_file(at("d"), 0600);
    // Its folder cannot be written, the file itself can.
    return refused && !replace_named_file(at("a"), "new");
  }));
  EXPECT_EQ(content("a"), "new");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(Files, StayAsTheyWereWhereTheDiskIsFull) {
  put("a", "old");
  put("b", "old");
  EXPECT_TRUE(holds_in_child([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit little{1000, 1000};
    if (setrlimit(RLIMIT_FSIZE, &little) != 0) return false;
    const std::string much(100'000, 'x');
    return replace_own_file(at("a"), much, 0600).has_value() &&
           replace_named_file(at("b"), much).has_value();
  }));
  EXPECT_EQ(content("a"), "old");
  EXPECT_EQ(content("b"), "old");
  EXPECT_EQ(entries(), 2U);
}

TEST_F(Files, ThatMayNotGrowAreErrorsAndNotSignals) {
  put("a", "old");
  EXPECT_TRUE(holds_in_child([&] {
    signal(SIGXFSZ, SIG_DFL);
    const rlimit little{1000, 1000};
    if (setrlimit(RLIMIT_FSIZE, &little) != 0) return false;
    const auto wrong = replace_named_file(at("a"), std::string(100'000, 'x'));
    return wrong && wrong->what.find("File too large") != std::string::npos;
  }));
  EXPECT_EQ(content("a"), "old");
  EXPECT_EQ(entries(), 1U);
}

/// A pipe that nobody reads.
FileDescriptor pipe_without_reader() {
  std::array<int, 2> ends{-1, -1};
  if (pipe(ends.data()) != 0) return FileDescriptor();
  close(ends[0]);
  return FileDescriptor(ends[1]);
}

TEST(Messages, AreLostWhereTheyCannotBeWritten) {
  EXPECT_TRUE(holds_in_child([] {
    const FileDescriptor full(open("/dev/full", O_WRONLY));
    if (dup2(full.get(), STDERR_FILENO) < 0) return false;
    write_message("one\n");
    close(STDERR_FILENO);
    write_message("two\n");
    return true;
  }));
}

TEST(Messages, ThatNobodyReadsEndNoProgram) {
  EXPECT_TRUE(holds_in_child([] {
    signal(SIGPIPE, SIG_DFL);
    const FileDescriptor unread = pipe_without_reader();
    if (dup2(unread.get(), STDERR_FILENO) < 0) return false;
    write_message("text\n");
    sigset_t now;
    return pthread_sigmask(SIG_BLOCK, nullptr, &now) == 0 && sigismember(&now, SIGPIPE) == 0 &&
           write_all(unread.get(), "text") == EPIPE;
  }));
}

TEST(Messages, LeaveASignalThatWaitsForTheProgram) {
  EXPECT_TRUE(holds_in_child([] {
    sigset_t held, pending;
    sigemptyset(&held);
    sigaddset(&held, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &held, nullptr);
    raise(SIGPIPE);
    const FileDescriptor unread = pipe_without_reader();
    return write_all(unread.get(), "text") == EPIPE && sigpending(&pending) == 0 &&
           sigismember(&pending, SIGPIPE) == 1;
  }));
}

TEST_F(Files, StayAsTheyWereOnASmallDisk) {
  const auto mount_small = [&] {
    return unshare(CLONE_NEWNS) == 0 && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, "") == 0 &&
           mount("tmpfs", folder_.c_str(), "tmpfs", 0, "size=64k") == 0;
  };
  if (!holds_in_child(mount_small)) GTEST_SKIP() << "no mounts of our own here";
  EXPECT_TRUE(holds_in_child([&] {
    if (!mount_small()) return false;
    const std::string much(1'000'000, 'x');
    if (replace_own_file(at("a"), "old", 0600)) return false;
    const auto own = replace_own_file(at("a"), much, 0600, Keep::Durably);
    const auto named = replace_named_file(at("a"), much);
    return own && own->what.find("No space left") != std::string::npos && named &&
           content("a") == "old" && entries() == 1;
  }));
}

TEST_F(Files, ThatAreRemovedAreOurs) {
  put("a", "text");
  EXPECT_FALSE(remove_own_file(at("a")));
  EXPECT_FALSE(fs::exists(at("a")));
  EXPECT_FALSE(remove_own_file(at("a")));
  fs::create_directory(at("folder"));
  EXPECT_TRUE(remove_own_file(at("folder")));
  EXPECT_TRUE(fs::is_directory(at("folder")));
}

TEST_F(Files, ThatAreUnfinishedAreKnownByName) {
  EXPECT_TRUE(is_unfinished(".hosts.0123456789abcdef.new", "hosts"));
  EXPECT_FALSE(is_unfinished(".hosts.0123456789abcdef.new", "host"));
  EXPECT_FALSE(is_unfinished(".hosts.0123456789abcdeg.new", "hosts"));
  EXPECT_FALSE(is_unfinished("hosts.new", "hosts"));
}

}  // namespace
}  // namespace espalier
